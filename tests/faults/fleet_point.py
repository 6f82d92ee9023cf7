#!/usr/bin/env python3
"""fleet_point.py - a proxy before PostgreSQL's socket that strikes at one statement.

    fleet_point.py FROM_SOCKET TO_SOCKET POINT HOW COUNT_FILE

Statements are counted over all connections, from 1. At number POINT (0: never) the
connection is cut, or the client killed:
    before       the server never sees it
    half         the server answers, and half of the answer comes through
    after        the server has done it, and nothing of its answer comes through
    kill-before, kill-after   as before and after, and the client is killed (-9)
COUNT_FILE has the number of statements so far.
"""
import os
import signal
import socket
import struct
import sys
import threading

listen, to, point, how, count_file = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
lock = threading.Lock()
count = 0


def next_number():
    global count
    with lock:
        count += 1
        with open(count_file + ".new", "w") as f:
            print(count, file=f)
        os.rename(count_file + ".new", count_file)
        return count


def read_exactly(sock, n):
    data = b""
    while len(data) < n:
        more = sock.recv(n - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data


def message(sock, typed):
    """One message of the protocol, with its head."""
    head = read_exactly(sock, 5 if typed else 4)
    return head + read_exactly(sock, struct.unpack("!I", head[-4:])[0] - 4)


def until_ready(server):
    """All that the server says to one statement: up to ReadyForQuery."""
    said = b""
    while True:
        one = message(server, True)
        said += one
        if one[:1] == b"Z":
            return said


def strike(client, server, asked):
    pid = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    if how != "before" and how != "kill-before":
        server.sendall(asked)
        said = until_ready(server)
        if how == "half":
            client.sendall(said[:len(said) // 2])
    if how.startswith("kill"):
        os.kill(pid, signal.SIGKILL)
    raise ConnectionError


def serve(client):
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(to)
        server.sendall(message(client, False))
        client.sendall(until_ready(server))
        while True:
            asked = b""
            while True:
                one = message(client, True)
                asked += one
                if one[:1] in b"SQX":  # Sync, Query, Terminate
                    break
            if one[:1] == b"X":
                raise ConnectionError
            if next_number() == point:
                strike(client, server, asked)
            server.sendall(asked)
            client.sendall(until_ready(server))
    except OSError:
        pass
    for sock in (client, server):
        sock.close()


door = socket.socket(socket.AF_UNIX)
door.bind(listen)
os.chmod(listen, 0o777)
door.listen(64)
while True:
    threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
