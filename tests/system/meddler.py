"""A man in the middle between a worker and its controller, which does to their messages what a
network may do: delays, repeats or reorders them. It reads ZMTP (the frames of ZeroMQ 3.1) as far as
to find the end of each message. It works on local sockets, where frames are not encrypted.
"""

import os
import socket
import struct
import tempfile
import threading

GREETING_BYTES = 64
LONG, COMMAND = 2, 4  # flag bits of a ZMTP frame
ROUND_S = 0.2         # the interval at which delayed or reversed messages are forwarded
TO_CONTROLLER, TO_WORKER = "to controller", "to worker"


class FrameReader:
    """Reads the frames of one side of a connection, after its handshake."""

    def __init__(self, sock):
        self.sock, self.kept = sock, b""

    def take(self, count):
        while len(self.kept) < count:
            more = self.sock.recv(1 << 16)
            if not more:
                raise ConnectionError("the peer has closed the connection")
            self.kept += more
        taken, self.kept = self.kept[:count], self.kept[count:]
        return taken

    def frame(self):
        """Returns (whether the next frame is a message, its bytes)."""
        flags = self.take(1)
        length = self.take(8) if flags[0] & LONG else self.take(1)
        size = struct.unpack(">Q", length)[0] if flags[0] & LONG else length[0]
        return not flags[0] & COMMAND, flags + length + self.take(size)


class Meddler:
    """Listens at `endpoint` for a peer of the local socket `target`, and forwards its messages.

    change(what, *directions): "pass"; "repeat": each message three times; "delay": all messages
    late; "reverse": the messages of each interval in reverse order, and twice; "hold": none until
    the next change, then all of them in order.
    """

    def __init__(self, target):
        self.folder = tempfile.TemporaryDirectory(prefix="cox-meddler-")
        self.path = os.path.join(self.folder.name, "s")
        self.endpoint, self.target = f"ipc://{self.path}", target.removeprefix("ipc://")
        self.modes = {TO_CONTROLLER: "pass", TO_WORKER: "pass"}
        self.gathered = {TO_CONTROLLER: [], TO_WORKER: []}
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(self.path)
        self.server.listen()
        self.connections = []
        for work in (self.accept_all, self.forward_each_round):
            threading.Thread(target=work, daemon=True).start()

    def change(self, what, *directions):
        with self.lock:
            for direction in directions or self.modes:
                self.forward(direction)
                self.modes[direction] = what

    def held(self, direction):
        with self.lock:
            return len(self.gathered[direction])

    def end(self):
        self.ended.set()
        for sock in [self.server, *self.connections]:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side closed it first
            sock.close()
        self.folder.cleanup()

    def accept_all(self):
        while not self.ended.is_set():
            try:
                worker, _ = self.server.accept()
                controller = socket.socket(socket.AF_UNIX)
                controller.connect(self.target)
            except OSError:
                continue  # no controller listens yet: the worker will try again
            self.connections += [worker, controller]
            for direction, source, sink in ((TO_CONTROLLER, worker, controller),
                                            (TO_WORKER, controller, worker)):
                threading.Thread(target=self.carry, args=(direction, source, sink),
                                 daemon=True).start()

    def carry(self, direction, source, sink):
        reader = FrameReader(source)
        try:
            # Byte by byte: each side waits for the other's first bytes.
            for _ in range(GREETING_BYTES):
                sink.sendall(reader.take(1))
            while True:
                is_message, frame = reader.frame()
                with self.lock:
                    self.take(direction, sink, is_message, frame)
        except OSError:
            for sock in (source, sink):
                sock.close()

    def take(self, direction, sink, is_message, frame):
        mode = self.modes[direction]
        if is_message and mode in ("hold", "delay", "reverse"):
            self.gathered[direction].append((sink, frame))
        else:
            sink.sendall(frame * (3 if is_message and mode == "repeat" else 1))

    def forward_each_round(self):
        while not self.ended.wait(ROUND_S):
            with self.lock:
                for direction, mode in self.modes.items():
                    if mode in ("delay", "reverse"):
                        self.forward(direction)

    def forward(self, direction):
        gathered, self.gathered[direction] = self.gathered[direction], []
        if self.modes[direction] == "reverse":
            gathered = [each for each in reversed(gathered) for _ in range(2)]
        for sink, frame in gathered:
            try:
                sink.sendall(frame)
            except OSError:
                pass  # the receiver's connection has ended
