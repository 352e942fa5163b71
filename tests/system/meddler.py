"""What stands between a worker and its controller and does to their messages what a network may do:
holds them back, repeats them, turns their order round. It reads ZMTP (the frames of ZeroMQ 3.1) as
far as to tell where a message ends, and stands on a local socket, where frames are not encrypted.
"""

import os
import socket
import struct
import tempfile
import threading

GREETING_BYTES = 64
LONG, COMMAND = 2, 4  # flags of a frame
ROUND_S = 0.2         # so long messages are gathered that come late or change places
TO_CONTROLLER, TO_WORKER = "to controller", "to worker"


class FrameReader:
    """Frames of one side of a connection; its handshake passes as it is."""

    def __init__(self, sock):
        self.sock, self.kept = sock, b""

    def take(self, count):
        while len(self.kept) < count:
            more = self.sock.recv(1 << 16)
            if not more:
                raise ConnectionError("it has closed")
            self.kept += more
        taken, self.kept = self.kept[:count], self.kept[count:]
        return taken

    def frame(self):
        """(whether it is a message, its bytes)"""
        flags = self.take(1)
        length = self.take(8) if flags[0] & LONG else self.take(1)
        size = struct.unpack(">Q", length)[0] if flags[0] & LONG else length[0]
        return not flags[0] & COMMAND, flags + length + self.take(size)


class Meddler:
    """Listens at `endpoint` for one who wants to speak with the local socket `target`.

    change(what, *directions): "pass"; "repeat": each message three times; "delay": all come later;
    "reverse": what comes within a moment is handed on in reverse, and each twice; "hold": nothing
    passes until the next change, and then all of it, in order.
    """

    def __init__(self, target):
        self.folder = tempfile.TemporaryDirectory(prefix="cox-meddler-")
        self.path = os.path.join(self.folder.name, "s")
        self.endpoint, self.target = f"ipc://{self.path}", target.removeprefix("ipc://")
        self.doing = {TO_CONTROLLER: "pass", TO_WORKER: "pass"}
        self.gathered = {TO_CONTROLLER: [], TO_WORKER: []}
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(self.path)
        self.server.listen()
        self.connections = []
        for work in (self.accept_all, self.hand_on_in_rounds):
            threading.Thread(target=work, daemon=True).start()

    def change(self, what, *directions):
        with self.lock:
            for direction in directions or self.doing:
                self.hand_on(direction)
                self.doing[direction] = what

    def held(self, direction):
        with self.lock:
            return len(self.gathered[direction])

    def end(self):
        self.ended.set()
        for sock in [self.server, *self.connections]:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side was first
            sock.close()
        self.folder.cleanup()

    def accept_all(self):
        while not self.ended.is_set():
            try:
                worker, _ = self.server.accept()
                controller = socket.socket(socket.AF_UNIX)
                controller.connect(self.target)
            except OSError:
                continue  # no controller there as yet: the worker will try again
            self.connections += [worker, controller]
            for direction, source, sink in ((TO_CONTROLLER, worker, controller),
                                            (TO_WORKER, controller, worker)):
                threading.Thread(target=self.carry, args=(direction, source, sink),
                                 daemon=True).start()

    def carry(self, direction, source, sink):
        reader = FrameReader(source)
        try:
            for _ in range(GREETING_BYTES):  # each side waits in it for parts of the other's
                sink.sendall(reader.take(1))
            while True:
                is_message, frame = reader.frame()
                with self.lock:
                    self.take(direction, sink, is_message, frame)
        except OSError:
            for sock in (source, sink):
                sock.close()

    def take(self, direction, sink, is_message, frame):
        doing = self.doing[direction]
        if is_message and doing in ("hold", "delay", "reverse"):
            self.gathered[direction].append((sink, frame))
        else:
            sink.sendall(frame * (3 if is_message and doing == "repeat" else 1))

    def hand_on_in_rounds(self):
        while not self.ended.wait(ROUND_S):
            with self.lock:
                for direction, doing in self.doing.items():
                    if doing in ("delay", "reverse"):
                        self.hand_on(direction)

    def hand_on(self, direction):
        gathered, self.gathered[direction] = self.gathered[direction], []
        if self.doing[direction] == "reverse":
            gathered = [each for each in reversed(gathered) for _ in range(2)]
        for sink, frame in gathered:
            try:
                sink.sendall(frame)
            except OSError:
                pass  # its connection has ended
