"""A streaming replica of a cluster's PostgreSQL, in the same socket folder with another port."""

import os
import shutil
import signal
import subprocess

from cluster import PG_CTL_WAITS, toml_value, with_value
from database import ACCOUNT
from patience import LONG_DEADLINE_S
from processes import Process, start_time_of

PORT, REPLICA_PORT = 5432, 5433


class Replica:
    def __init__(self, cluster):
        self.cluster = cluster
        self.data = cluster.postgres_data().parent / "replica"
        self.socket = toml_value(cluster.config.read_text(), "database").split()[0].split("=")[1]
        self.primary = self.conninfo(PORT)
        self.here = self.conninfo(REPLICA_PORT)

    def conninfo(self, port):
        return f"host={self.socket} port={port} user=cox dbname=coxswain"

    def start(self):
        """Copies the primary, and replicates it from then on."""
        hba = self.data.parent / "hba.conf"
        hba.write_text(hba.read_text() + "local replication all peer map=cox\n")
        self.cluster.pg_ctl("reload")
        self.program("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "-d",
                     f"host={self.socket} port={PORT} user=cox application_name=replica")
        self.pg_ctl("-o", f"-p {REPLICA_PORT}", "start")
        self.await_streaming()
        return self

    def program(self, name, *words):
        version = (self.cluster.postgres_data() / "PG_VERSION").read_text().strip()
        found = shutil.which(name, path=f"/usr/lib/postgresql/{version}/bin:{os.environ['PATH']}")
        subprocess.run([found, *map(str, words)], check=True, cwd="/", stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=LONG_DEADLINE_S, **ACCOUNT)

    def pg_ctl(self, *words):
        log = self.data.parent / "replica.log"
        self.program("pg_ctl", "-D", self.data, *PG_CTL_WAITS, "-l", log, *words)

    def sql(self, text):
        return self.cluster.sql(text, self.here)

    def await_streaming(self):
        self.cluster.wait_for(lambda: self.cluster.sql(
            "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'", self.primary),
            "the replica to stream")

    def be_synchronous(self):
        """Makes each COMMIT on the primary wait for this replica."""
        self.cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'replica'", self.primary)
        self.cluster.sql("SELECT pg_reload_conf()", self.primary)
        self.cluster.wait_for(lambda: self.cluster.sql(
            "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'", self.primary),
            "the replica to be synchronous")

    def stop_replication(self):
        """Stops replication: later writes of the primary do not arrive here."""
        self.sql("ALTER SYSTEM SET primary_conninfo = ''")
        self.sql("SELECT pg_reload_conf()")
        self.cluster.wait_for(lambda: not self.cluster.sql(
            "SELECT 1 FROM pg_stat_replication", self.primary), "the replica to fall behind")

    def promote(self):
        self.pg_ctl("promote")
        self.cluster.database = self.here

    def use_both_servers(self):
        """Restarts the controllers with both servers in their connection strings, the primary
        first."""
        cluster = self.cluster
        both = (f"host={self.socket},{self.socket} port={PORT},{REPLICA_PORT}"
                " user=cox dbname=coxswain")
        for name in cluster.controllers:
            cluster.kill(name, signal.SIGTERM)
            file = cluster.config_of(name)
            file.write_text(with_value(file.read_text(), "database", both))
        cluster.database = self.primary
        for name in cluster.controllers:
            cluster.start(name)
        cluster.wait_for(lambda: len(cluster.responding()) == cluster.nodes,
                         "all nodes to respond")

    def stop(self):
        try:
            pid = int((self.data / "postmaster.pid").read_text().split()[0])
        except (FileNotFoundError, ValueError, IndexError):
            return
        Process(pid, start_time_of(pid)).kill(signal.SIGKILL)
