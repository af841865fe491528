"""A ledger on a PostgreSQL server: one writer at a time, each commit durable before it returns.

    BEGIN → advisory lock → work → COMMIT with synchronous_commit = on

The lock is the transaction's, so that a writer who dies lets go of it.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from dpwerm.errors import LedgerError, ParameterError
from dpwerm.privacy.ledger.database import BUSY, WAIT, Database
from dpwerm.study.study import SECRETS

if TYPE_CHECKING:
    import psycopg

FORMS = (
    'a ledger is "sqlite:///ledger.db" or "postgresql://user@host/database"; in a user name or '
    "password, signs such as @ : / ? # % are written as %40 %3A %2F %3F %23 %25"
)
_HOST = re.compile(r"[A-Za-z0-9._-]*|[0-9A-Fa-f:.]+")
_DATABASE = re.compile(r"[^/@:?#\x00]+")
_PLACED_ELSEWHERE = frozenset({"user", "password", "dbname", "service", "servicefile", "passfile"})
_DEFAULT_PORT = "5432"
_IDLE = 60.0  # seconds after which a writer who stopped moving is ended, so that others go on
_LOCK = 0x647077_65726D01
"""The number of the lock of all ledgers in one database: "dpwerm", 1."""

_CONNECTION = {
    "connect_timeout": "10",
    "application_name": "dpwerm",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
# Given even if the URL does not, so that no PGHOSTADDR or PGPORT leads to another server.
_PLACE = {"hostaddr": "", "port": _DEFAULT_PORT}
# A stronger setting than "on" is kept. Times are in milliseconds.
_DURABLE = text("""
    SELECT current_setting('fsync'),
        set_config('synchronous_commit', CASE current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
        set_config('lock_timeout', :wait, true),
        set_config('statement_timeout', :wait, true),
        set_config('idle_in_transaction_session_timeout', :idle, true)
""")
_WORDS_BY_STATE = {
    "55P03": BUSY,
    "57014": BUSY,
    "42501": (
        "this user may not use its tables, or not make them: who may runs `dpwerm ledger open "
        "STUDY`, which also says what to grant"
    ),
    "25006": "the server is read-only",
    "53100": "the server's disk is full",
    "53300": "the server has too many connections",
    "3D000": "there is no such database",
    "3F000": "it has no schema public; another one: ?options=-csearch_path%3DNAME",
    "28P01": "the server refused the user or the password",
    "28000": "the server refused the user or the password",
}
_WORDS_BY_PHRASE = {
    "authentication failed": _WORDS_BY_STATE["28P01"],
    "no password supplied": "the server wants a password: use PGPASSWORD or ~/.pgpass",
    "does not exist": "there is no such database or user",
    "too many clients": _WORDS_BY_STATE["53300"],
    "invalid connection option": "its URL has an unknown option after ?",
}


class PostgresqlDatabase(Database):
    """A database on a server: keyword arguments of a connection, which may hold a password."""

    kind = "postgresql"

    def __init__(self, server: Mapping[str, str]) -> None:
        super().__init__(f"{server.get('host', 'local')}/{server['dbname']}")
        self.server = server
        self.kind_shown = "a PostgreSQL database"
        self.has_password = bool(server.keys() & set(SECRETS))

    @classmethod
    def of(cls, url: str) -> Self:
        """Read a whole URL; libpq fills in what is missing."""
        try:
            parts = urlsplit(url)
            named = {
                "user": unquote(parts.username or ""),
                "password": unquote(parts.password or ""),
                "host": parts.hostname or "",
                "port": str(parts.port or ""),
                "dbname": unquote(parts.path.removeprefix("/")),
            }
            query = parts.query
            options = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
        except ValueError:
            raise ParameterError(FORMS) from None
        if not (_HOST.fullmatch(named["host"]) and _DATABASE.fullmatch(named["dbname"])):
            raise ParameterError(FORMS)
        if parts.fragment or "@" in query or len(dict(options)) < len(options):
            raise ParameterError(FORMS)
        server = {key: value for key, value in named.items() if value}
        if misplaced := {key for key, _ in options} & (_PLACED_ELSEWHERE | server.keys()):
            raise ParameterError(
                f"after ? a ledger's URL may not say {', '.join(sorted(misplaced))}: "
                "user, password, host, port and database stand before it"
            )
        return cls(server | dict(options))

    @property
    def place(self) -> tuple[str, ...]:
        """The server, the database in it, and where in that its tables are."""
        where = (self.server.get(key, "") for key in ("host", "hostaddr", "dbname", "options"))
        return self.kind, self.server.get("port", _DEFAULT_PORT), *where

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give one consistent view of the database."""
        with self.in_words(), self._engine.connect() as plain:
            connection = plain.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            self._find_tables(connection)
            yield connection
            connection.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give an exclusive transaction; what was done in it is durable at the end."""
        with self.in_words(), self._engine.connect() as plain:
            connection = plain.execution_options(
                isolation_level="READ COMMITTED", postgresql_readonly=False
            )
            with self.committed(connection):
                self._lock(connection)
                self._find_tables(connection)
                yield connection

    def _lock(self, connection: Connection) -> None:
        """Wait until this is the only writer, on a server that keeps what it is told."""
        times = {"wait": str(round(1000 * WAIT)), "idle": str(round(1000 * _IDLE))}
        if connection.execute(_DURABLE, times).one()[0] != "on":
            raise LedgerError(f"{self.name}: the server has fsync off, so no charge would be safe")
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))

    def _find_tables(self, connection: Connection) -> None:
        """Look in one schema, whoever logs in: a user's own would hold another ledger."""
        if "search_path" not in self.server.get("options", ""):
            connection.execute(text("SET LOCAL search_path TO public"))

    def explained(self, error: SQLAlchemyError) -> LedgerError:
        """Return what the server's state or the client's phrase means."""
        if not isinstance(error, DBAPIError):
            return LedgerError("the connection was lost")
        state = getattr(error.orig, "sqlstate", None)
        if state in _WORDS_BY_STATE:
            return LedgerError(_WORDS_BY_STATE[state])
        told = str(error.orig)
        for phrase, words in _WORDS_BY_PHRASE.items():
            if phrase in told:
                return LedgerError(words)
        if error.connection_invalidated or state is None:
            return LedgerError("the server cannot be reached or the connection was lost")
        return LedgerError("it cannot be used")

    @cached_property
    def _engine(self) -> Engine:
        try:
            import psycopg  # noqa: F401 - an extra
        except ImportError:
            raise LedgerError(
                f"{self.name}: PostgreSQL needs another package: install dpwerm with its extra "
                "postgresql"
            ) from None
        return self.engine("postgresql+psycopg://", self._connect, use_native_hstore=False)

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        import psycopg
        from psycopg.conninfo import make_conninfo

        # This refuses what libpq does not know.
        told = make_conninfo(**_CONNECTION | _PLACE | dict(self.server))
        return psycopg.connect(told, prepare_threshold=None)
