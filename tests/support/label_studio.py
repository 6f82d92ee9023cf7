#!/usr/bin/env python3
"""label_studio.py TASKS OUT [CHANGE...]: what Label Studio exports (JSON) when an
annotator who was shown TASKS sends them, after the CHANGEs. CHANGE:
  ID:/pointer=TEXT   another text          ID:/pointer=      the value is deleted
  ID:/pointer@x,y    its rectangle moved   ID:+/pointer=TEXT a new rectangle
  ID:skip            the task is skipped   ID:two            another one differs
ID is the beginning of the document's name."""
import copy, json, sys

BOX = {"x": 10.0, "y": 50.0, "width": 20.0, "height": 5.0, "rotation": 0}


def labels(result):
    return {r["value"]["rectanglelabels"][0]: r["id"] for r in result if r["type"] == "rectanglelabels"}


def draw(result, pointer, text):
    for kind, name, value in (("rectanglelabels", "field", [pointer]), ("textarea", "text", [text])):
        key = "rectanglelabels" if kind == "rectanglelabels" else "text"
        result.append({"id": "n" + pointer, "from_name": name, "to_name": "page", "type": kind, "item_index": 0,
                       "original_width": 1, "original_height": 1, "value": {**BOX, key: value}})


def say(result, pointer, text):
    lines = [r for r in result if r["from_name"] == "elsewhere"]
    ours = labels(result).get(pointer)
    if ours is None:
        for r in lines:
            kept = [line for line in r["value"]["text"] if not line.startswith(pointer + ": ")]
            assert len(kept) < len(r["value"]["text"]), pointer
            r["value"]["text"] = kept + ([f"{pointer}: {text}"] if text else [])
    elif not text:
        result[:] = [r for r in result if r["id"] != ours]
    for r in result:
        if text and r["id"] == ours and r["type"] == "textarea":
            r["value"]["text"] = [text]


def move(result, pointer, place):
    ours = labels(result)[pointer]
    for r in result:
        if r["id"] == ours:
            r["value"]["x"], r["value"]["y"] = map(float, place.split(","))


def change(annotations, what):
    result = annotations[0]["result"]
    if what == "skip":
        annotations[0]["was_cancelled"] = True
    elif what == "two":
        other = copy.deepcopy(annotations[0])
        other["result"].pop()
        annotations.append(other)
    elif what.startswith("+"):
        draw(result, *what[1:].split("=", 1))
    elif "=" in what:
        say(result, *what.split("=", 1))
    else:
        move(result, *what.split("@", 1))


tasks = json.load(open(sys.argv[1]))
for i, task in enumerate(tasks):
    task["id"] = i + 1
    task["annotations"] = [{"id": i + 1, "completed_by": {"id": 7, "email": "ann@example.org"}, "was_cancelled": False,
                            "result": copy.deepcopy(task["predictions"][0]["result"])}]
    for one in sys.argv[3:]:
        name, what = one.split(":", 1)
        if task["data"]["name"].startswith(name):
            change(task["annotations"], what)
json.dump(tasks, open(sys.argv[2], "w"))
