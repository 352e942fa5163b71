"""A task that writes the given number of MiB, in which no two blocks are equal, and writes their
digest to a file. It writes to another file how much it has written so far. With `--wait`, it first
reads a line."""

import argparse
import hashlib
import os
import sys

BLOCK = 64 << 10

parser = argparse.ArgumentParser()
parser.add_argument("mib", type=int)
parser.add_argument("digest")
parser.add_argument("--progress")
parser.add_argument("--wait", action="store_true")
options = parser.parse_args()
if options.wait:
    sys.stdin.readline()
sum_of_all = hashlib.blake2b()
tail = os.urandom(BLOCK - 8)
for number in range((options.mib << 20) // BLOCK):
    block = number.to_bytes(8, "big") + tail
    sum_of_all.update(block)
    while block:
        block = block[os.write(1, block):]
    if options.progress and number % 16 == 15:
        with open(options.progress, "w", encoding="ascii") as file:
            file.write(str((number + 1) * BLOCK))
with open(options.digest, "w", encoding="ascii") as file:
    file.write(sum_of_all.hexdigest())
