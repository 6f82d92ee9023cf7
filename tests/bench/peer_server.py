#!/usr/bin/env python3
"""peer_server.py PLATEN SERVER MODEL [SESSIONS [PROMPT [ANSWER [THREADS]]]] - many documents at once, by platen (`bench --serve-like`)
and by somebody's llama-server, each on the same model, one after the other: documents start when an answer is finished, prompts
are random and share nothing, answers have ANSWER tokens. SESSIONS: 4,8,16. Prints medians and ratios; not part of make test.
The machine should be idle: both are run at the same, normal priority, since a server has more threads than processors."""
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

platen, server, model = map(os.path.abspath, sys.argv[1:4])
given = sys.argv[4:]
sessions = [int(x) for x in (given[0] if given else "4,8,16").split(",")]
n_prompt, n_answer, threads = [int(x) for x in given[1:] + ["512", "64", "2"][len(given[1:]):]]
PORT, DOCUMENTS = 8127, 3  # documents a session
SECONDS = 900


def middle(values):
    return sorted(values)[len(values) // 2]


def ask(seed):
    """The time to the first token, the whole time, and the tokens of an answer."""
    chosen = random.Random(seed)
    body = {"prompt": [chosen.randrange(1000, 100000) for _ in range(n_prompt)], "n_predict": n_answer, "stream": True,
            "ignore_eos": True, "cache_prompt": False, "temperature": 0}
    link = http.client.HTTPConnection("127.0.0.1", PORT, timeout=SECONDS)
    began, first, n = time.time(), None, 0
    link.request("POST", "/completion", json.dumps(body), {"Content-Type": "application/json"})
    for line in link.getresponse():
        if line.startswith(b"data: {"):
            first = first or time.time() - began
            n += not json.loads(line[6:]).get("stop")
    return first, time.time() - began, n


def served(n_session):
    """What the peer takes: tokens/s of answers, and ms to the first token."""
    context = str(n_session * (n_prompt + n_answer + 64))
    line = [server, "-m", model, "-c", context, "-np", str(n_session), "-t", str(threads), "-tb", str(threads),
            "--host", "127.0.0.1", "--port", str(PORT)]
    process = subprocess.Popen(line, cwd=tempfile.gettempdir(),  # it leaves a log there
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(120):
            try:
                link = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
                link.request("GET", "/health")
                if link.getresponse().status == 200:
                    break
            except OSError:
                pass
            time.sleep(1)
        ask(0)  # warms up
        todo, answers, lock = list(range(1, n_session * DOCUMENTS + 1)), [], threading.Lock()

        def work():
            while True:
                with lock:
                    if not todo:
                        return
                    seed = todo.pop()
                try:
                    answers.append(ask(seed))
                except (OSError, http.client.HTTPException):
                    return

        began, workers = time.time(), [threading.Thread(target=work) for _ in range(n_session)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if len(answers) < n_session * DOCUMENTS:
            sys.exit(f"peer_server: {server} answered {len(answers)} of {n_session * DOCUMENTS} documents")
        return sum(a[2] for a in answers) / (time.time() - began), 1000 * middle([a[0] for a in answers])
    finally:
        process.kill()
        process.wait()


def own(n_session):
    line = [platen, "bench", "--model", model, "--serve-like", "--sessions", str(n_session), "--documents", str(n_session * DOCUMENTS),
            "-p", str(n_prompt), "-n", str(n_answer), "-t", str(threads), "--turns", "1", "--json"]
    out = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    run = next(r for r in map(json.loads, out.splitlines()) if r["test"] == "serve")
    return run["output_throughput"], run["ttft_ms"]["p50"]


print(f"{'sessions':>8} {'platen':>9} {'peer':>9} {'ratio':>6}   tokens/s      {'platen':>9} {'peer':>9} {'ratio':>6}   ms to first token")
for n in sessions:
    a, b = own(n), served(n)
    print(f"{n:8} {a[0]:9.2f} {b[0]:9.2f} {a[0] / b[0]:6.2f} {'':14} {a[1]:9.0f} {b[1]:9.0f} {b[1] / a[1]:6.2f}", flush=True)
