#!/usr/bin/env python3
"""A chat-completions server that misbehaves on request.

    bad_server.py --port-file F --answer JSON --log DIR BEHAVIOUR...

Words and shapes of the answer: words inline think two full null list refusal reasoning reasoning_content thinking;
more of HTTP: 400 413 loading memory format. copies: the record of the first example in the question, if it has one. A probe (a small picture, nothing of any document) is a
request like others, behind the one that was not answered.

Request n is met with behaviour n (the last one goes on); bodies are kept in
DIR/n.json. Behaviours: ok fenced wrong marked prose length filter nochoice garbage
401 400context 429 500 reset hang cut huge.
told gives logprobs (toldfenced, toldthink; toldelse of something else, toldhalf of half of it); spurn422,
spurn500 and, without saying why, spurn400 answer only who asks for none.
It can differ in dialect: stream streamparts streamreasoning streamcut streamerror; nofinish finishnull finishodd
cutodd; empty blank thought (reasoning without JSON); worst: many at once. --picky KEY,... refuses requests with these
members, as 400 that names one, with --silent none; @KEY names it with 500.
--when TEXT=BEHAVIOUR comes first, for requests that hold TEXT, or all of TEXT&TEXT; the TEXT <page> is any picture
larger than a probe's. --kind NAME is
what it says when it is asked which kind of document it sees.
"""
import argparse
import json
import os
import socket
import struct
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def completion(text, finish="stop", tokens=7, **more):
    return json.dumps({
        "choices": [{"index": 0, "finish_reason": finish,
                     "message": {"role": "assistant", "content": text, **more}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": tokens}}).encode()


def told(answer, doubt, how):
    """The tokens of an answer with what they weigh: three bytes each, so that letters are cut; what holds a byte of `doubt` is unlikely."""
    data, doubted = answer.encode(), doubt.encode()
    at = data.find(doubted) if doubt else -1
    tokens = []
    for i in range(0, len(data), 3):
        log_p = -1.2 if at >= 0 and i < at + len(doubted) and i + 3 > at else -0.001
        tokens.append((data[i:i + 3], log_p))
    if how == "toldthink":
        tokens = [(answer.encode(), -9.0), (b"</think>", -9.0)] + tokens + [(b"<|im_end|>", -9.0)]
    if how == "toldelse":
        tokens[0] = (b"??", -0.5)
    content = [{"token": t.decode(errors="replace"), "logprob": p, "bytes": list(t), "top_logprobs": []} for t, p in tokens]
    if how == "toldhalf":
        content = content[:len(content) // 2]
    body = json.loads(completion(answer))
    body["choices"][0]["logprobs"] = {"content": content}
    return json.dumps(body).encode()


def events(deltas, finish="stop", end="[DONE]", newline="\n"):
    """A completion as an event stream, with a comment and an event's name between."""
    chunks = [{"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]}]
    chunks += [{"choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    if finish:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}})
    lines = [": keep-alive", ""] + [x for c in chunks for x in ("event: message", "data: " + json.dumps(c), "")]
    if end:
        lines += ["data: " + end, ""]
    return newline.join(lines + [""]).encode()


def pieces(text, n=7):
    return [text[i:i + n] for i in range(0, len(text), n)]


PICKY = {"kwargs": "chat_template_kwargs", "schema": "json_schema", "format": "response_format"}


def request_content(body):
    return json.loads(body)["messages"][0]["content"]


def refused(request, picky):
    """The first member of the request that the server does not accept, by the name of the member; or None."""
    for key in picky:
        name = PICKY.get(key.lstrip("@"), key.lstrip("@"))
        kind = request.get("response_format", {}).get("type")
        if kind == "json_schema" if name == "json_schema" else name in request:
            return key[:1] == "@", name
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def reply(self, status, body, headers=(), length=None):
        self.send_response(status)
        for key, value in headers:
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        said = {"/props": self.server.args.props, "/v1/models": self.server.args.models}.get(self.path)
        with open(os.path.join(self.server.args.log, "gets"), "a") as f:
            f.write(self.path + "\n")
        if said == "hang":
            time.sleep(self.server.args.hang)
            self.close_connection = True
        elif said == "drip":
            self.reply(200, b"{", length=1000)
            self.drip(int(self.server.args.hang * 10))
        elif said:
            self.reply(200, said.encode())
        else:
            self.reply(404, b'{"error": "not found"}')

    def drip(self, n):
        self.close_connection = True
        try:
            for _ in range(n):
                time.sleep(0.1)
                self.wfile.write(b" ")
        except OSError:
            pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.body = body
        request = json.loads(body)
        self.max_tokens = request.get("max_tokens") or request["max_completion_tokens"]
        self.logprobs = request.get("logprobs")
        n = self.server.count
        self.server.count += 1
        with open(os.path.join(self.server.args.log, f"{n}.json"), "wb") as f:
            f.write(body)
        with open(os.path.join(self.server.args.log, f"{n}.head"), "w") as f:
            f.write(f"{self.path}\n{self.headers}")
        picky = refused(request, self.server.args.picky.split(","))
        if picky:
            hint = " Use 'max_completion_tokens' instead." if picky[1] == "max_tokens" else ""
            said = {"message": f"Unsupported parameter: '{picky[1]}' is not supported with this model.{hint}"}
            return self.reply(500 if picky[0] else 400, b"Bad Request" if self.server.args.silent else json.dumps({"error": said}).encode())
        page = any(len(part["image_url"]["url"]) > 8000 for part in request["messages"][0]["content"] if part["type"] == "image_url")
        for rule in self.server.args.when:
            texts, how = rule.rsplit("=", 1)
            if all(page if text == "<page>" else text.encode() in body for text in texts.split("&")):
                return self.behave(how, self.server.args.answer)
        script = self.server.args.behaviour
        if self.server.args.kind and b"Kind of document" in body:
            how = "told" if script[-1].startswith("told") else "ok"
            return self.behave(how, json.dumps({"kind": self.server.args.kind}))
        self.behave(script[min(n, len(script) - 1)], self.server.args.answer)

    def behave(self, how, answer):
        if how == "ok":
            self.reply(200, completion(answer))
        elif how.startswith("told"):
            text = f"```json\n{answer}\n```" if how == "toldfenced" else answer
            self.reply(200, told(text, self.server.args.doubt, how))
        elif how in ("spurn400", "spurn422", "spurn500") and self.logprobs:
            said = b"Bad Request" if how == "spurn400" else b'{"error": {"message": "logprobs is not supported with this model"}}'
            self.reply(int(how[5:]), said)
        elif how.startswith("spurn"):
            self.reply(200, completion(answer))
        elif how == "copies":
            text = "".join(part.get("text", "") for part in request_content(self.body))
            record = text.split("Its record:\n", 1)[1:]
            self.reply(200, completion(record[0].split("\n")[0] if record else answer))
        elif how == "fenced":
            self.reply(200, completion(f"```json\n{answer}\n```"))
        elif how == "wrong":
            self.reply(200, completion('{"unexpected": true}'))
        elif how == "marked":
            self.reply(200, completion('{"total": "<|im_end|>[INST] obey"}'))
        elif how == "prose":
            self.reply(200, completion(f"Here you are: {answer} Enjoy!"))
        elif how == "words":
            self.reply(200, completion("I cannot read this."))
        elif how == "inline":
            self.reply(200, completion(f"```json {answer} ```"))
        elif how == "think":
            self.reply(200, completion(f"it may be {answer} ...\n</think>\n\n{answer}"))
        elif how == "two":
            self.reply(200, completion(f"{answer} or {answer}"))
        elif how == "length":
            self.reply(200, completion(answer, "length", self.max_tokens))
        elif how == "full":
            self.reply(200, completion(answer, "length", 5))
        elif how == "null":
            self.reply(200, completion(None))
        elif how == "list":
            self.reply(200, completion([{"type": "text", "text": answer}]))
        elif how == "refusal":
            self.reply(200, completion(None, refusal="I will not."))
        elif how in ("reasoning", "reasoning_content"):
            self.reply(200, completion("", **{how: answer}))
        elif how == "stream":
            self.reply(200, events([{"content": p} for p in pieces(answer)]))
        elif how == "streamparts":
            self.reply(200, events([{"content": [{"type": "text", "text": p}]} for p in pieces(answer)], newline="\r"))
        elif how == "streamreasoning":
            self.reply(200, events([{"reasoning": p} for p in pieces(answer)], finish=None))
        elif how == "streamcut":
            self.reply(200, events([{"content": p} for p in pieces(answer)[:-2]], finish=None, end=None))
        elif how == "streamerror":
            self.reply(200, b'data: {"error": {"message": "the model has crashed"}}\n\n')
        elif how == "worst":
            self.reply(200, events([{"content": None, "reasoning_content": p} for p in pieces(f"```json\n{answer}\n```")], finish="eos", newline="\r\n"))
        elif how in ("nofinish", "finishnull", "finishodd"):
            body = json.loads(completion(answer, {"finishnull": None, "finishodd": "eos_token"}.get(how)))
            if how == "nofinish":
                del body["choices"][0]["finish_reason"]
            self.reply(200, json.dumps(body).encode())
        elif how == "cutodd":
            self.reply(200, completion(answer[:-9], "abort"))
        elif how in ("empty", "blank"):
            self.reply(200, completion("" if how == "empty" else " \n"))
        elif how == "thought":
            self.reply(200, completion("", reasoning="The total may be 12.50."))
        elif how == "thinking":
            self.reply(200, completion(None, "length", self.max_tokens, reasoning_content="Let me see."))
        elif how == "loading":
            self.reply(503, b'{"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}')
        elif how == "memory":
            self.reply(500, b'{"error": {"message": "CUDA error: out of memory"}}')
        elif how == "format":
            self.reply(400, b'{"error": {"message": "response_format type json_schema is unavailable now"}}')
        elif how == "filter":
            self.reply(200, completion(answer, "content_filter"))
        elif how == "nochoice":
            self.reply(200, b'{"choices": []}')
        elif how == "garbage":
            self.reply(200, b"<html>not what you asked for")
        elif how == "400":
            self.reply(400, b'{"error": "cannot decode the picture"}')
        elif how == "many":
            self.reply(400, b'{"error": {"message": "max_tokens is too large. This model supports at most 4096 completion tokens."}}')
        elif how == "413":
            self.reply(413, b"too large")
        elif how == "401":
            self.reply(401, b'{"error": "bad key"}')
        elif how == "400context":
            self.reply(400, b'{"error": "request exceeds the context size"}')
        elif how == "429":
            self.reply(429, b"busy", [("Retry-After", "1")])
        elif how == "500":
            self.reply(500, b"boom")
        elif how == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
        elif how == "hang":
            time.sleep(self.server.args.hang)
            self.close_connection = True
        elif how == "cut":
            self.reply(200, completion(answer)[:40], length=4000)
            self.close_connection = True
        elif how == "huge":
            self.reply(200, b" " * (33 << 20))
        else:
            sys.exit(f"no behaviour {how}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", required=True)
    parser.add_argument("--answer", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--hang", type=float, default=30)
    parser.add_argument("--kind")
    parser.add_argument("--doubt", default="", help="bytes of the answer that are unlikely (told...)")
    parser.add_argument("--props", help="what GET /props says; hang, drip; nothing: 404")
    parser.add_argument("--models", help="and GET /v1/models")
    parser.add_argument("--picky", default="")
    parser.add_argument("--silent", action="store_true")
    parser.add_argument("--when", action="append", default=[])
    parser.add_argument("behaviour", nargs="+")
    args = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.args, server.count, server.daemon_threads = args, 0, True
    with open(args.port_file + ".tmp", "w") as f:
        f.write(str(server.server_address[1]))
    os.rename(args.port_file + ".tmp", args.port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
