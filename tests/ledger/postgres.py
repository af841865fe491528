"""A real PostgreSQL server for the tests: on loopback, in a folder of its own, gone at the end."""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

USER = "keeper"
_UNPRIVILEGED = ("postgres", "nobody", "daemon")
_SECONDS = 30


def binaries() -> Path | None:
    """Return the folder of initdb and pg_ctl, None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    candidates = [Path(found).resolve().parent] if found else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if config := shutil.which("pg_config"):
        told = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        candidates.append(Path(told.stdout.strip()))
    needed = ("initdb", "pg_ctl", "postgres")
    return next((c for c in candidates if all((c / name).is_file() for name in needed)), None)


@dataclass(frozen=True)
class Server:
    """A running server and how to reach it."""

    bin: Path
    folder: Path
    port: int
    password: str
    account: str | None

    def url(self, database: str = "postgres", password: str | None = None) -> str:
        return f"postgresql://{USER}:{password or self.password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"ledger_{secrets.token_hex(6)}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def new_schema(self) -> str:
        """Make an empty schema, which takes far less time than a database, and return its URL."""
        name = f"ledger_{secrets.token_hex(6)}"
        self.sql(f"CREATE SCHEMA {name}")
        return f"{self.url()}?options=-csearch_path%3D{name}"

    def sql(self, *statements: str, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def start(self) -> None:
        log = self.folder / "log"
        self._run("pg_ctl", "start", "-w", "-t", str(_SECONDS), "-D", self._data, "-l", str(log))

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "stop", "-w", "-t", str(_SECONDS), "-D", self._data, "-m", mode)

    def prepare(self) -> None:
        """Make the server's files: passwords wanted, loopback only, fully durable."""
        secret = self.folder / "password"
        secret.write_text(self.password)
        if self.account:
            for path in (self.folder, secret):
                shutil.chown(path, self.account)
        self._run(
            *("initdb", "-D", self._data, "-U", USER, "-A", "scram-sha-256"),
            *("--pwfile", str(secret), "--no-sync", "--no-instructions", "-E", "UTF8"),
            *("--locale", "C"),
        )
        with (self.folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\n"
                f"unix_socket_directories = '{self.folder}'\n"
                "shared_buffers = 16MB\nmax_connections = 100\n"
            )

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *arguments: str) -> None:
        """Run a program of PostgreSQL, which refuses to run as root."""
        subprocess.run(
            [str(self.bin / program), *arguments],
            check=True,
            user=self.account,
            group=pwd.getpwnam(self.account).pw_gid if self.account else None,
            extra_groups=[] if self.account else None,
            cwd=self.folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=2 * _SECONDS,
        )


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server, or skip the test and say why; in CI a missing server is a failure."""
    folder_of_binaries = binaries()
    if folder_of_binaries is None:
        reason = "PostgreSQL is not installed: initdb, pg_ctl and postgres were not found"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    # A short path: the name of a unix socket has at most 107 bytes.
    with TemporaryDirectory(prefix="dpwerm-pg-", ignore_cleanup_errors=True) as name:
        account = _account() if os.getuid() == 0 else None
        server = Server(
            folder_of_binaries, Path(name), _free_port(), secrets.token_hex(12), account
        )
        server.prepare()
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")


def _account() -> str:
    """Return an account that is not root's."""
    for name in _UNPRIVILEGED:
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    pytest.fail("PostgreSQL cannot run as root, and there is no account nobody")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
