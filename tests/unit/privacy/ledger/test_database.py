import copy
import pickle
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.ledger.database import Database, SqliteDatabase
from dpwerm.privacy.ledger.postgresql import PostgresqlDatabase
from dpwerm.privacy.ledger.store import database_of

SECRET = "gEhe1m"  # noqa: S105 - made up
URL = f"postgresql://anna:{SECRET}@db.example:6543/trials?sslmode=require"


def of(text: str, folder: Path | None = None) -> Database:
    return database_of(text, folder)


def test_a_relative_file_lies_beside_the_study_file(tmp_path: Path) -> None:
    address = of("sqlite:///sub/ledger.db", tmp_path)
    assert address.kind == "sqlite"
    assert isinstance(address, SqliteDatabase)
    assert address.path == tmp_path / "sub" / "ledger.db"
    assert address.shown == "sqlite ledger.db"


def test_a_full_path_needs_no_folder(tmp_path: Path) -> None:
    address = of(f"sqlite:///{tmp_path}/ledger.db")
    assert address.place == SqliteDatabase(tmp_path / "ledger.db").place
    with pytest.raises(ParameterError, match="full path"):
        of("sqlite:///ledger.db")


def test_the_parts_of_a_server() -> None:
    address = of(URL)
    assert address.kind == "postgresql"
    assert isinstance(address, PostgresqlDatabase)
    assert address.server == {
        "user": "anna",
        "password": SECRET,
        "host": "db.example",
        "port": "6543",
        "dbname": "trials",
        "sslmode": "require",
    }
    assert address.shown == "postgresql db.example/trials"


def test_outsiders_are_not_told_of_the_server(tmp_path: Path) -> None:
    assert of(URL).kind_shown == "a PostgreSQL database"
    assert of("sqlite:///sub/ledger.db", tmp_path).kind_shown == "sqlite ledger.db"


def test_a_place_is_shown_in_one_line(tmp_path: Path) -> None:
    assert of("sqlite:///a\nb.db", tmp_path).shown == r"sqlite a\nb.db"
    assert of("postgresql:///a%0Ab").shown == r"postgresql local/a\nb"


def test_a_local_server_needs_a_database_only() -> None:
    address = of("postgresql:///trials?host=/run/postgresql")
    assert isinstance(address, PostgresqlDatabase)
    assert address.server == {"dbname": "trials", "host": "/run/postgresql"}
    assert of("postgresql:///trials").shown == "postgresql local/trials"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ledger.db",
        "sqlite:///",
        "sqlite://ledger.db",
        "sqlite:///:memory:",
        "sqlite:////x.db?mode=memory",
        "sqlite:////x\x00.db",
        "mysql://anna:gEhe1m@host/db",
        "postgresql+asyncpg://anna:gEhe1m@host/db",
        "postgresql://anna:gEhe1m@host",
        "postgresql://anna:gEhe1m@host/",
        "postgresql://anna:gEhe1m@host/a/b",
        "postgresql://anna:gEhe1m@host:port/db",
        "postgresql://anna:gEhe1m@host:99999/db",
        "postgresql://anna:1/gEhe1m@host/db",
        "postgresql://anna:1?gEhe1m@host/db",
        "postgresql://anna:1#gEhe1m@host/db",
        "postgresql://anna:x@gEhe1m/db@host/db",
        "postgresql://anna:x@gEhe1m/db?a=b@host/db",
        "postgresql://anna:gEhe1m@[host/db",
        "postgresql://anna:gEhe1m@ho\u2100st/db",
        "postgresql://anna:gEhe1m@host/db#x",
        "postgresql://anna:gEhe1m@host/db?gEhe1m",
        "postgresql://anna:gEhe1m@host/db?sslmode=a&sslmode=b",
        "postgresql://anna@host/db?password=gEhe1m",
        "postgresql://anna@host/db?dbname=gEhe1m",
        "postgresql://anna@host/db?service=gEhe1m",
        "postgresql://anna@host/db?host=gEhe1m",
    ],
)
def test_a_url_that_cannot_be_read_is_not_repeated(text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        of(text, Path("/"))
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@given(st.text(min_size=1, max_size=30).filter(lambda text: "\x00" not in text))
def test_any_password_survives_quoting_and_is_never_shown(password: str) -> None:
    secret = f"<{password}>"
    try:
        quoted = quote(secret, safe="")
    except UnicodeEncodeError:  # half a character
        return
    address = of(f"postgresql://anna:{quoted}@host/db")
    assert isinstance(address, PostgresqlDatabase)
    assert address.server["password"] == secret
    for shown in (address.shown, repr(address), str(address), f"{address!s} {address!r}"):
        assert secret not in shown
        assert quoted not in shown


@given(st.text(alphabet="ab1@:/?#=&%[]+ ", max_size=12))
def test_a_password_with_bare_signs_is_refused_or_read_right(password: str) -> None:
    """Whatever is shown comes from after the last @, where no password is."""
    try:
        address = of(f"postgresql://anna:{password}@host.example/trials")
    except ParameterError:
        return
    assert address.shown == "postgresql host.example/trials"


def test_whether_a_url_has_a_password() -> None:
    assert of(URL).has_password
    assert of("postgresql://anna@host/db?sslpassword=x").has_password
    assert not of("postgresql://anna@host/db").has_password
    assert not of("sqlite:////ledger.db").has_password


def test_the_same_database_whoever_logs_in() -> None:
    here = of("postgresql://anna:x@host/db")
    assert here.place == of("postgresql://bert:y@host:5432/db?sslmode=require").place
    assert here.place == of("postgresql://HOST/db").place
    for other in (
        "postgresql://anna:x@other/db",
        "postgresql://anna:x@host:5433/db",
        "postgresql://anna:x@host/other",
        "postgresql://anna:x@host/db?options=-csearch_path%3Dother",
        "postgresql://anna:x@host/db?hostaddr=127.0.0.1",
        "sqlite:////db",
    ):
        assert here.place != of(other).place


def test_the_same_file_by_any_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    here = of("sqlite:///ledger.db", tmp_path)
    assert here.place == of("sqlite:///link/./link/ledger.db", tmp_path).place
    assert here.place != of("sqlite:///other.db", tmp_path).place


def test_an_address_is_never_pickled_or_copied() -> None:
    address = of(URL)
    assert copy.copy(address) is address
    assert copy.deepcopy([address])[0] is address
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(ParameterError, match="cannot be pickled"):
            pickle.dumps(address, protocol)
