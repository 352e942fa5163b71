"""PostgreSQL as `cox up` starts it: connections, and a finished data folder of which clusters get
copies."""

import atexit
import functools
import math
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg2
from psycopg2 import extensions

from patience import DEADLINE_S, LONG_DEADLINE_S

# The account of PostgreSQL, as arguments of subprocess: PostgreSQL refuses to run as root.
ACCOUNT = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

# Values as psql prints them, whatever their type.
TEXT = extensions.new_type(tuple(extensions.string_types), "TEXT", lambda value, _: value)


def postgres_folder():
    """Returns the folder of the newest server's programs."""
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


def new_home():
    """Returns a new folder of PostgreSQL's account that `cox up` accepts as a database's home."""
    home = Path(tempfile.mkdtemp(prefix="coxswain-", dir="/var/tmp"))
    if ACCOUNT:
        shutil.chown(home, ACCOUNT["user"], ACCOUNT["group"])
    return home


# What clusters of tests have beyond the settings of `cox up`. Tests kill processes, never the
# machine, so nothing is lost without fsync.
TEST_SETTINGS = "fsync = off\n"


@functools.cache
def made_home():
    """Returns the home of a database as the first half of `cox up` leaves it, with the database in
    it. Making it takes 2 s of CPU, copying it 0.1 s."""
    home = new_home()
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    run_as_account("initdb", "-D", home / "data", "-U", "cox", "--auth=peer", "--encoding=UTF8",
                   "--no-locale", "--wal-segsize=1")
    (home / "data/postgresql.auto.conf").write_text(TEST_SETTINGS)
    run_as_account("postgres", "--single", "-D", home / "data", "template1",
                   says="CREATE DATABASE coxswain\n")
    with open(home / "data/postgresql.conf", "a") as settings:
        settings.write("include = 'coxswain.conf'\n")
    return home


def run_as_account(program, *words, says=""):
    subprocess.run([postgres_folder() / program, *words], check=True, cwd="/", **ACCOUNT, text=True,
                   input=says, stdout=subprocess.DEVNULL, timeout=DEADLINE_S)


def give_database(folder):
    """Makes a cluster's folder that looks as if `cox up` had been interrupted after it made the
    database: the next one continues there."""
    home = new_home()
    subprocess.run(["cp", "-a", f"{made_home()}/.", home], check=True, timeout=DEADLINE_S)
    socket = home / "socket"
    socket.mkdir(0o700)
    if ACCOUNT:
        shutil.chown(socket, ACCOUNT["user"], ACCOUNT["group"])
    folder.mkdir(0o700, parents=True)
    (folder / "layout").write_text(f"postgres_home {home}\n")
    (folder / "database-made").touch()


def connected(database):
    """A test's time limit cannot interrupt libpq, so connections and statements have their own."""
    limit = math.ceil(DEADLINE_S)  # libpq takes whole seconds only
    connection = psycopg2.connect(database, connect_timeout=limit)
    connection.autocommit = True
    connection.cursor().execute(f"SET statement_timeout = '{math.ceil(LONG_DEADLINE_S)}s'")
    return connection


def is_ended(connection):
    """Returns whether PostgreSQL has ended this connection, which nobody uses at the moment: it can
    have said something only if it has."""
    return connection.closed or select.select([connection], [], [], 0)[0]


def rows_of(connection, text):
    cursor = connection.cursor()
    extensions.register_type(TEXT, cursor)
    cursor.execute(text)
    rows = cursor.fetchall() if cursor.description else []
    return [["" if value is None else value for value in row] for row in rows]
