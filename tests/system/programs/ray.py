"""The parts of Ray that its template for Slurm needs: `start --head`, `start --address`, and a
driver (`wait N`) that asks for the members. Messages are lines. A member stays connected."""

import argparse
import os
import socket
import sys
import threading


def connected(address):
    """Connects to the head. Tries until it listens: the template starts the head and the others at
    the same time."""
    host, port = address.split(":")
    while True:
        try:
            return socket.create_connection((host, int(port)))
        except ConnectionRefusedError:
            threading.Event().wait(0.05)


def be_head(options):
    members, changed = [socket.gethostname()], threading.Condition()

    def serve(connection):
        with connection, connection.makefile("rw") as lines:
            what, _, value = lines.readline().strip().partition(" ")
            with changed:
                if what == "join":
                    members.append(value)
                    changed.notify_all()
                else:
                    changed.wait_for(lambda: len(members) >= int(value))
                    print(*sorted(members), file=lines, flush=True)
            lines.readline()  # until it leaves

    server = socket.create_server((options.node_ip_address, options.port))
    while True:
        threading.Thread(target=serve, args=server.accept()[:1], daemon=True).start()


def main():
    if sys.argv[1] == "wait":
        with connected(os.environ["ip_head"]).makefile("rw") as lines:
            print("wait", sys.argv[2], file=lines, flush=True)
            print("the cluster has", lines.readline().strip())
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("start")
    parser.add_argument("--head", action="store_true")
    parser.add_argument("--block", action="store_true", required=True)
    parser.add_argument("--node-ip-address")
    parser.add_argument("--port", type=int)
    parser.add_argument("--address")
    parser.add_argument("--num-cpus", type=int, required=True)
    options = parser.parse_args()
    if options.head:
        be_head(options)
    with connected(options.address).makefile("rw") as lines:
        print("join", socket.gethostname(), file=lines, flush=True)
        lines.readline()


main()
