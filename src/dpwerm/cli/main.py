"""The ``dpwerm`` command: gathers the commands and turns errors into words and exit codes."""

import io
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from dpwerm.cli.console import (
    NOT_VERIFIED,
    OUR_FAULT,
    OVER_BUDGET,
    WRONG_INPUT,
    complain,
    complain_of_charge,
)
from dpwerm.errors import BudgetError, DpwermError, LedgerTamperedError
from dpwerm.version import __version__

DEBUG = "DPWERM_DEBUG"
COMMANDS = {
    "demo": "Simulate a trial and learn a rule from it, end to end.",
    "init": "Write a study file to fill in.",
    "check": "Report every fault of a study file and a table.",
    "plan": "Say what to expect of a rule before any data is touched.",
    "tune": "Find gamma, the strength of regularisation.",
    "fit": "Learn a rule and release it under differential privacy.",
    "recommend": "Add what a rule recommends to a table of new people.",
    "evaluate": "Release how good a rule is, beside one arm for everybody.",
    "report": "Write a report on a rule for an ethics board.",
    "export": "Write a rule as Python, SQL, R or ONNX.",
    "verify": "Check the numbers of a rule or value file.",
    "audit": "Attack our own releases.",
    "ledger": "What a study has spent, on what, and what is left.",
}
"""The commands, with the first sentence of their help."""

HOMES = {
    **dict.fromkeys(("fit", "evaluate"), "release"),
    **dict.fromkeys(("init", "check", "recommend"), "tables"),
    **dict.fromkeys(("report", "export", "verify"), "files"),
}
"""The module of this folder that holds a command, where it has another name."""


class Later(TyperCommand):
    """A command that is loaded when it is called: the help that lists them all needs none."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        """Go on with the command, or the group of commands, that its module holds."""
        name = str(self.name)
        module = import_module(f"dpwerm.cli.{HOMES.get(name, name)}")
        found = module.__dict__.get("app")
        if found is None:
            found = typer.Typer(add_completion=False, rich_markup_mode=None)
            found.command()(module.__dict__[name])
        return get_command(found).make_context(*given, **named)


class Commands(TyperGroup):
    """All commands by name, none of them loaded."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name, sentence in COMMANDS.items():
            self.add_command(Later(name, help=sentence))


app = typer.Typer(
    cls=Commands,
    help="Learn treatment rules from sensitive trials and release them under differential privacy.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_EARLIER = re.compile("^--slot(?==|$)")  # what earlier versions called --partition


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dpwerm {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Learn treatment rules from sensitive trials and release them under differential privacy."""


def main(arguments: Sequence[str], command: typer.Typer = app, name: str = "dpwerm") -> int:
    """Run one command, of ``dpwerm`` or of a program beside it, and return its exit code."""
    try:
        command(args=[_EARLIER.sub("--partition", one) for one in arguments], prog_name=name)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else OUR_FAULT
    except DpwermError as error:
        complain(str(error))
        complain_of_charge(error)
        if isinstance(error, BudgetError):
            return OVER_BUDGET
        return NOT_VERIFIED if isinstance(error, LedgerTamperedError) else WRONG_INPUT
    except OSError as error:
        if not (error.filename and error.strerror):
            return _our_fault(error)
        complain(f"{error.filename}: {error.strerror}.")
        complain_of_charge(error)
        return WRONG_INPUT
    except Exception as error:  # noqa: BLE001 - the last wall: nothing of the data may get past it
        return _our_fault(error)
    return 0


def _our_fault(error: Exception) -> int:
    """Say that we failed without the text of the error, which may quote the data."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}, line {where.lineno}"
    complain(f"Internal error: {type(error).__name__} in {where.name}, {place}.")
    complain_of_charge(error)
    if os.environ.get(DEBUG) == "sensitive":
        complain("SENSITIVE, for the curator only:\n" + "".join(traceback.format_exception(error)))
    else:
        complain(
            f"The command did not finish. {DEBUG}=sensitive shows details, which may quote data."
        )
    return OUR_FAULT


def run(program: Callable[[Sequence[str]], int] = main) -> None:
    """Run the command line as the installed program does."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that a terminal cannot show must not stop a command after its release.
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP"):
        # Whoever ends a command that has charged a ledger is told so, as after an interrupt.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    sys.exit(program(sys.argv[1:]))
