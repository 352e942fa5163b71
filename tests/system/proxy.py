"""Stands between the controller and its PostgreSQL, and does what networks do: drops the answer of
a transaction that is committed, makes each statement take long, closes what connects."""

import os
import socket
import threading
import time
from pathlib import Path

READY_FOR_QUERY = b"Z\x00\x00\x00\x05I"


class Proxy:
    """Listens on a socket of PostgreSQL's name in `folder`; `target` is PostgreSQL's own."""

    def __init__(self, folder, target):
        self.folder, self.target = Path(folder), str(target)
        self.delay_s = 0
        self.refuses = False
        self.cuts = 0       # answers that were dropped
        self.query = None   # whose answer is dropped next
        self.open = set()
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / Path(target).name))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def conninfo(self):
        return f"host={self.folder} user=cox dbname=coxswain"

    def cut_answer_of(self, query):
        """Of the next transaction that runs this query: it is committed, and nobody hears of it."""
        self.query = b"\0" + query.encode() + b"\0"  # as a Bind message names it

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
        self.mute = False  # nothing of what the server says gets through
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
            if READY_FOR_QUERY in tail:  # it is committed
                self.proxy.cuts += 1
                return


def shut(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    end.close()
