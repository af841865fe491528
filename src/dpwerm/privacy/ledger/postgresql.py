"""A ledger on a PostgreSQL server: one writer at a time, each commit durable before it returns.

    BEGIN → advisory lock → work → COMMIT with synchronous_commit = on

The lock is the transaction's, so that a writer who dies lets go of it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from dpwerm.errors import LedgerError
from dpwerm.privacy.ledger.url import DEFAULT_PORT

if TYPE_CHECKING:
    import psycopg

WAIT = 120.0
"""How many seconds a writer waits for others."""

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
_PLACE = {"hostaddr": "", "port": DEFAULT_PORT}
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
    "55P03": "it is busy: others held it for too long",
    "57014": "it is busy: others held it for too long",
    "42501": "this user may not use its tables",
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


class PostgresqlDatabase:
    """A database on a server.

    Parameters
    ----------
    server : keyword arguments of a connection
    name : str, what messages call it
    """

    def __init__(self, server: Mapping[str, str], name: str) -> None:
        self._server = server
        self._name = name

    def is_there(self) -> bool:
        """Say yes: only a connection can tell."""
        return True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give one consistent view of the database."""
        with self._in_words(), self._engine.connect() as plain:
            connection = plain.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            self._find_tables(connection)
            yield connection
            connection.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give an exclusive transaction; what was done in it is durable at the end."""
        with self._in_words(), self._engine.connect() as plain:
            connection = plain.execution_options(
                isolation_level="READ COMMITTED", postgresql_readonly=False
            )
            try:
                self._lock(connection)
                self._find_tables(connection)
                yield connection
            except BaseException:
                with suppress(SQLAlchemyError):
                    connection.rollback()
                raise
            with self._in_words("; whether the last entry was written is not known"):
                connection.commit()

    def _lock(self, connection: Connection) -> None:
        """Wait until this is the only writer, on a server that keeps what it is told."""
        times = {"wait": str(round(1000 * WAIT)), "idle": str(round(1000 * _IDLE))}
        if connection.execute(_DURABLE, times).one()[0] != "on":
            raise LedgerError(f"{self._name}: the server has fsync off, so no charge would be safe")
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))

    def _find_tables(self, connection: Connection) -> None:
        """Look in one schema, whoever logs in: a user's own would hold another ledger."""
        if "search_path" not in self._server.get("options", ""):
            connection.execute(text("SET LOCAL search_path TO public"))

    @contextmanager
    def _in_words(self, after: str = "") -> Iterator[None]:
        """Say what went wrong without the library's text."""
        try:
            yield
        except DBAPIError as error:
            raise LedgerError(f"{self._name}: {_words(error)}{after}") from None
        except SQLAlchemyError:
            raise LedgerError(f"{self._name}: the connection was lost{after}") from None

    @cached_property
    def _engine(self) -> Engine:
        try:
            import psycopg  # noqa: F401 - an extra
        except ImportError:
            raise LedgerError(
                f"{self._name}: PostgreSQL needs another package: install dpwerm with its extra "
                "postgresql"
            ) from None
        return create_engine(
            "postgresql+psycopg://",
            creator=self._connect,
            poolclass=NullPool,
            pool_reset_on_return=None,
            hide_parameters=True,
            use_native_hstore=False,
        )

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        import psycopg
        from psycopg.conninfo import make_conninfo

        told = make_conninfo(
            **_CONNECTION | _PLACE | dict(self._server)
        )  # refuses what libpq does not know
        return psycopg.connect(told, prepare_threshold=None)


def _words(error: DBAPIError) -> str:
    """Return what an error means, of our own words only."""
    state = getattr(error.orig, "sqlstate", None)
    if state in _WORDS_BY_STATE:
        return _WORDS_BY_STATE[state]
    told = str(error.orig)
    for phrase, words in _WORDS_BY_PHRASE.items():
        if phrase in told:
            return words
    if error.connection_invalidated or state is None:
        return "the server cannot be reached or the connection was lost"
    return "it cannot be used"
