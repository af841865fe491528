"""Where a ledger is, from a URL whose password is never shown.

    sqlite:///ledger.db                      a file beside the study file
    sqlite:////srv/trials/ledger.db          a file by its full path
    postgresql://user@host:5432/database     a server that a team shares

A message about a URL never repeats it: a mistyped one may have its password anywhere.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from urllib.parse import parse_qsl, unquote, urlsplit

from dpwerm.errors import ParameterError
from dpwerm.text import one_line

_FORMS = (
    'a ledger is "sqlite:///ledger.db" or "postgresql://user@host/database"; in a user name or '
    "password, signs such as @ : / ? # % are written as %40 %3A %2F %3F %23 %25"
)
_HOST = re.compile(r"[A-Za-z0-9._-]*|[0-9A-Fa-f:.]+")
_DATABASE = re.compile(r"[^/@:?#\x00]+")
_PLACED_ELSEWHERE = frozenset({"user", "password", "dbname", "service", "servicefile", "passfile"})
DEFAULT_PORT = "5432"
_SQLITE, _POSTGRESQL = "sqlite:///", "postgresql://"


@dataclass(frozen=True, repr=False, eq=False)
class LedgerAddress:
    """Where a ledger is.

    Parameters
    ----------
    kind : "sqlite" or "postgresql"
    path : the file, for SQLite
    server : keyword arguments of a connection, for PostgreSQL; may hold a password
    """

    kind: str
    path: Path | None = None
    server: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, folder: Path | None) -> "LedgerAddress":
        """Read a URL; a relative file is taken from ``folder``, never the working directory."""
        if text.startswith(_SQLITE):
            return cls("sqlite", path=_file(text.removeprefix(_SQLITE), folder))
        if text.startswith(_POSTGRESQL):
            return cls("postgresql", server=_server(text))
        raise ParameterError(_FORMS)

    @property
    def has_password(self) -> bool:
        """Whether the URL itself carries a secret."""
        return bool(self.server.keys() & {"password", "sslpassword"})

    @property
    def shown(self) -> str:
        """Kind and place without user, password or options; safe in any message."""
        if self.path is not None:
            return one_line(f"{self.kind} {self.path.name}")
        host, database = self.server.get("host", "local"), self.server["dbname"]
        return one_line(f"{self.kind} {host}/{database}")

    @property
    def kind_shown(self) -> str:
        """Kind and, of a file, its name: for a page that outsiders read, which names no server."""
        return self.shown if self.path is not None else "a PostgreSQL database"

    def same_database(self, other: "LedgerAddress") -> bool:
        """Whether both are the same place, whoever logs in."""
        return self.place == other.place

    @property
    def place(self) -> tuple[str, ...]:
        """What makes two addresses the same database."""
        if self.path is not None:
            return self.kind, str(self.path.resolve())
        where = (self.server.get(key, "") for key in ("host", "hostaddr", "dbname", "options"))
        return self.kind, self.server.get("port", DEFAULT_PORT), *where

    def __repr__(self) -> str:
        return f"LedgerAddress({self.shown})"

    def __copy__(self) -> "LedgerAddress":
        return self

    def __deepcopy__(self, memo: object) -> "LedgerAddress":
        return self

    def __reduce__(self) -> NoReturn:
        raise ParameterError("a ledger is not pickled: its URL may carry a password")


def _file(text: str, folder: Path | None) -> Path:
    """Return the full path of an SQLite file."""
    if text in {"", ":memory:"} or "\x00" in text:
        raise ParameterError('an SQLite ledger is a file, such as "sqlite:///ledger.db"')
    if "?" in text:
        raise ParameterError("an SQLite ledger takes no options: the path may not contain ?")
    path = Path(text)
    if path.is_absolute():
        return path
    if folder is None:
        raise ParameterError(
            "an SQLite ledger without a study file needs its full path: sqlite:////full/path.db"
        )
    return folder.absolute() / path


def _server(text: str) -> dict[str, str]:
    """Return the keyword arguments of a PostgreSQL connection; libpq fills in what is missing."""
    try:
        parts = urlsplit(text)
        named = {
            "user": unquote(parts.username or ""),
            "password": unquote(parts.password or ""),
            "host": parts.hostname or "",
            "port": str(parts.port or ""),
            "dbname": unquote(parts.path.removeprefix("/")),
        }
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise ParameterError(_FORMS) from None
    if not (_HOST.fullmatch(named["host"]) and _DATABASE.fullmatch(named["dbname"])):
        raise ParameterError(_FORMS)
    if parts.fragment or "@" in parts.query or len(dict(options)) < len(options):
        raise ParameterError(_FORMS)
    server = {key: value for key, value in named.items() if value}
    if misplaced := {key for key, _ in options} & (_PLACED_ELSEWHERE | server.keys()):
        raise ParameterError(
            f"after ? a ledger's URL may not say {', '.join(sorted(misplaced))}: "
            "user, password, host, port and database stand before it"
        )
    return server | dict(options)
