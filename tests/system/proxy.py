"""A proxy between the controller and its PostgreSQL that simulates faults of networks. It drops the
reply of a committed transaction, delays each statement, or closes connections."""

import os
import socket
import threading
import time
from pathlib import Path

READY_FOR_QUERY = b"Z\x00\x00\x00\x05I"


class Proxy:
    """Listens in `folder`, on a socket with the name of PostgreSQL's own socket, `target`."""

    def __init__(self, folder, target):
        self.folder, self.target = Path(folder), str(target)
        self.delay_s = 0
        self.refuses = False
        self.cuts = 0       # the number of dropped replies
        self.query = None   # the query whose reply is dropped next
        self.open = set()
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / Path(target).name))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def conninfo(self):
        return f"host={self.folder} user=cox dbname=coxswain"

    def drop_reply_of(self, query):
        """Drops the reply of the next transaction that runs this query, after its commit."""
        # The statement's name, as a Bind message has it.
        self.query = b"\0" + query.encode() + b"\0"

    def close_all(self):
        with self.lock:
            ends, self.open = self.open, set()
        for end in ends:
            shut(end)

    def stop(self):
        shut(self.listener)
        self.close_all()
        os.unlink(self.folder / Path(self.target).name)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refuses:
                shut(client)
                continue
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.target)
            except OSError:
                shut(client)
                continue
            with self.lock:
                self.open |= {client, server}
            Link(self, client, server)


class Link:
    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.mute = False  # true: the server's replies are dropped
        for way in (self.ask, self.answer):
            threading.Thread(target=self.carry, args=(way,), daemon=True).start()

    def carry(self, way):
        try:
            way()
        except OSError:
            pass
        shut(self.client)
        shut(self.server)

    def ask(self):
        tail = b""
        while data := self.client.recv(65536):
            time.sleep(self.proxy.delay_s)
            wanted, tail = self.proxy.query, (tail + data)[-65600:]
            if wanted and wanted in tail:
                self.proxy.query, self.mute = None, True
            self.server.sendall(data)

    def answer(self):
        tail = b""
        while data := self.server.recv(65536):
            if not self.mute:
                self.client.sendall(data)
                continue
            tail = (tail + data)[-65600:]
            if READY_FOR_QUERY in tail:  # PostgreSQL has committed the transaction
                self.proxy.cuts += 1
                return


def shut(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    end.close()
