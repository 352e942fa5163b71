"""A peer that speaks plain ZeroMQ, so that it can send messages that no program of ours sends.

    raw_zmq.py ENDPOINT PART...   sends one message of these parts, in hexadecimal, and prints the
                                  number of answers until none came for a second. "COUNT*PART"
                                  repeats a part; "HEX^COUNT,HEX" repeats its first bytes
"""

import ctypes
import struct
import sys
import time

from patience import DEADLINE_S

DEALER, DONTWAIT, SNDMORE, RCVMORE = 5, 1, 2, 13
LINGER, SNDHWM, RCVHWM = 17, 23, 24
CURVE_PUBLICKEY, CURVE_SECRETKEY, CURVE_SERVERKEY = 48, 49, 50
VERSION = b"\x01"
# Tag of a Request; in the next line, tags of its bodies (common/messages/client_messages.h).
REQUEST = 70
SUBMIT_JOB, LIST_LICENCES, ACT_ON_JOBS, SHOW_CLUSTER = 50, 64, 56, 58

ZMQ = ctypes.CDLL("libzmq.so.5", use_errno=True)
for function in (ZMQ.zmq_ctx_new, ZMQ.zmq_socket):
    function.restype = ctypes.c_void_p
ZMQ.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
ZMQ.zmq_connect.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
ZMQ.zmq_close.argtypes = [ctypes.c_void_p]
ZMQ.zmq_ctx_term.argtypes = [ctypes.c_void_p]
ZMQ.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
ZMQ.zmq_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
ZMQ.zmq_recv.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def pack(value):
    """Encodes a value as msgpack, as far as messages need it."""
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return bytes([value]) if 0 <= value < 128 else b"\xd3" + struct.pack(">q", value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return b"\xdb" + struct.pack(">I", len(value)) + value
    return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))


def unpack(data, at=0):
    """Decodes the msgpack value at `at`. Returns (value, where the next one begins)."""
    head, at = data[at], at + 1
    fixed = {0xc0: None, 0xc2: False, 0xc3: True}
    if head in fixed:
        return fixed[head], at
    if head < 0x80 or head >= 0xe0:
        return head if head < 0x80 else head - 256, at
    numbers = {0xca: ">f", 0xcb: ">d", 0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b",
               0xd1: ">h", 0xd2: ">i", 0xd3: ">q"}
    if head in numbers:
        size = struct.calcsize(numbers[head])
        return struct.unpack_from(numbers[head], data, at)[0], at + size
    counts = {0xd9: ">B", 0xda: ">H", 0xdb: ">I", 0xdc: ">H", 0xdd: ">I"}
    if head in counts:
        count = struct.unpack_from(counts[head], data, at)[0]
        at += struct.calcsize(counts[head])
    else:
        count = head & (0x1f if head >= 0xa0 else 0x0f)
    if head in (0xd9, 0xda, 0xdb) or 0xa0 <= head < 0xc0:
        return data[at:at + count], at + count
    values = []
    for _ in range(count):
        value, at = unpack(data, at)
        values.append(value)
    return values, at


def frame(*messages):
    return VERSION + pack(list(messages))


def request(number, tag, *fields):
    return frame([REQUEST, [number, [tag, list(fields)]]])


def submit(number, name, command="true", folder="/tmp"):
    """Returns a request that submits a gang of one rank."""
    spec = [name, 0, [command], "", "", "", 0, 0, folder]
    return request(number, SUBMIT_JOB, f"{name}-{number}", spec, "", "")


def read_key(file):
    """Returns the lines of a key file, "public" and "secret", as a dict."""
    return dict(line.split(maxsplit=1) for line in file.read_text().splitlines())


class RawPeer:
    """A ZeroMQ socket. server_key: of a tcp endpoint; key: this peer's own, from read_key()."""

    def __init__(self, endpoint, server_key=None, key=None):
        self.context = ZMQ.zmq_ctx_new()
        self.socket = ZMQ.zmq_socket(self.context, DEALER)
        # No limits, so that this side drops nothing; no wait when the socket closes.
        for option in (LINGER, SNDHWM, RCVHWM):
            zero = ctypes.c_int(0)
            ZMQ.zmq_setsockopt(self.socket, option, ctypes.byref(zero), ctypes.sizeof(zero))
        if server_key:
            for option, text in ((CURVE_SERVERKEY, server_key), (CURVE_PUBLICKEY, key["public"]),
                                 (CURVE_SECRETKEY, key["secret"])):
                raw = text.encode()
                assert ZMQ.zmq_setsockopt(self.socket, option, raw, len(raw)) == 0
        assert ZMQ.zmq_connect(self.socket, endpoint.encode()) == 0
        self.buffer = ctypes.create_string_buffer(1 << 20)

    def close(self):
        ZMQ.zmq_close(self.socket)
        ZMQ.zmq_ctx_term(self.context)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, *parts):
        for number, part in enumerate(parts, 1):
            more = SNDMORE if number < len(parts) else 0
            assert ZMQ.zmq_send(self.socket, part, len(part), more) == len(part)

    def receive(self, patience_s):
        """Returns the messages of the next frame, or None if none comes in time."""
        end = time.monotonic() + patience_s
        while (size := ZMQ.zmq_recv(self.socket, self.buffer, len(self.buffer), DONTWAIT)) < 0:
            if time.monotonic() >= end:
                return None
            time.sleep(0.0005)
        return unpack(self.buffer.raw[1:min(size, len(self.buffer))])[0]

    def ask(self, number, question, patience_s=DEADLINE_S):
        """Sends a request and returns the body of its reply, [tag, fields]."""
        self.send(question)
        while messages := self.receive(patience_s):
            for tag, fields, *_ in messages:
                if tag == REQUEST + 1 and fields[0] == number:
                    return fields[1]
        raise AssertionError(f"no answer to {number} within {patience_s} s")


def main(endpoint, *parts):
    message = []
    for part in parts:
        count, _, body = part.rpartition("*")
        pieces = (piece.partition("^") for piece in body.split(","))
        whole = b"".join(bytes.fromhex(piece) * int(often or 1) for piece, _, often in pieces)
        message += [whole] * int(count or 1)
    with RawPeer(endpoint) as peer:
        peer.send(*message)
        answers = 0
        patience_s = DEADLINE_S
        while peer.receive(patience_s) is not None:
            answers, patience_s = answers + 1, 1
        print(answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
