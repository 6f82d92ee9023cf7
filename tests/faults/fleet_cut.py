#!/usr/bin/env python3
"""fleet_cut.py - a proxy before PostgreSQL's socket that cuts connections.

    fleet_cut.py FROM_SOCKET TO_SOCKET SECONDS SEED

Each connection lives for a random number of messages; then it is cut, before the
message goes on or before its answer comes back.
"""
import asyncio
import os
import random
import sys

listen, to, seconds, seed = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
dice = random.Random(seed)
cuts = 0


async def pump(reader, writer, left, swallow):
    """Passes chunks on until `left` are used up; the last one may be swallowed."""
    global cuts
    while chunk := await reader.read(1 << 16):
        left -= 1
        if left <= 0:
            cuts += 1
            if not swallow:
                writer.write(chunk)
                await writer.drain()
            return
        writer.write(chunk)
        await writer.drain()


async def serve(reader, writer):
    try:
        far_reader, far_writer = await asyncio.open_unix_connection(to)
    except OSError:
        writer.close()
        return
    n = dice.randint(2, 60)
    mine, other = (n, 10**9) if dice.random() < 0.5 else (10**9, n)
    tasks = [asyncio.ensure_future(pump(reader, far_writer, mine, dice.random() < 0.5)),
             asyncio.ensure_future(pump(far_reader, writer, other, True))]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for w in (writer, far_writer):
        w.close()


async def main():
    server = await asyncio.start_unix_server(serve, listen)
    os.chmod(listen, 0o777)
    async with server:
        await asyncio.sleep(seconds)
    print(cuts, flush=True)
    os._exit(0)


asyncio.run(main())
