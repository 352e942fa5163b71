"""A rank that writes numbered lines to both of its streams. When its folder has a file write-K (K
from 0 on), it writes 1 MiB to each stream and then creates wrote-K. The file `end` ends it."""

import os
import time

LINES, BYTES = 16384, 64

line = 0
turn = 0
while not os.path.exists("end"):
    if not os.path.exists(f"write-{turn}"):
        time.sleep(0.02)
        continue
    for _ in range(LINES // 256):
        block = b""
        for _ in range(256):
            block += b"line %d" % line + b" " * (BYTES - 6 - len(str(line))) + b"\n"
            line += 1
        os.write(1, block)
        os.write(2, block)
    open(f"wrote-{turn}", "w", encoding="ascii").close()
    turn += 1
