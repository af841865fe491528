"""Work in a forked child, which may give up its rights or be killed without harm to the tests."""

import os
import pwd
import signal
import warnings
from collections.abc import Callable
from pathlib import Path

from dpwerm.errors import DpwermError


def in_child(work: Callable[[], object]) -> str:
    """Return what ``work`` says in a child: its result or its error as text, or "killed"."""
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        # Since Python 3.12 a fork beside idle threads warns; no lock is held by them.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            os.write(theirs, _told(work).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        told = pipe.read().decode()
    _, status = os.waitpid(pid, 0)
    return "killed" if os.WIFSIGNALED(status) else told


def die() -> None:
    """End this process as kill -9 does: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


def drop_rights() -> None:
    """Go on as somebody whom permissions bind; root is bound by none."""
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)


def give_away(*paths: Path) -> None:
    """Make paths belong to whom :func:`drop_rights` makes us."""
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        for path in paths:
            os.chown(path, nobody.pw_uid, nobody.pw_gid)


def _told(work: Callable[[], object]) -> str:
    try:
        return str(work())
    except DpwermError as error:
        return f"{type(error).__name__}: {error}"
    except BaseException as error:  # noqa: BLE001 - told to the test
        return f"unexpected {error!r}"
