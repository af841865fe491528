"""``make bounds``: what docs/bounds.md shows; seconds.

Commands are run as a reader would run them.
"""

import io
from contextlib import redirect_stdout
from pathlib import Path

from benchmarks.page import fill
from reproduction.command import PROGRAM
from reproduction.command import main as reproduction

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "bounds.md"
STUDY = "docs/examples/paper.toml"
N = 1000
H = ("--smallest-eigenvalue", "0.05")


def shown(*options: str) -> str:
    """Return a command and what it prints; with the option of H the part about H."""
    given = ("--n", str(N), *options)
    caught = io.StringIO()
    with redirect_stdout(caught):
        code = reproduction(["bounds", str(ROOT / STUDY), *given])
    if code:
        raise SystemExit(code)
    blocks = caught.getvalue().rstrip("\n").split("\n\n")
    if options == H:
        blocks = blocks[next(i for i, one in enumerate(blocks) if "Proposition 8" in one) :]
    command = f"$ {PROGRAM} bounds {STUDY} {' '.join(given)}"
    return "```console\n" + "\n\n".join([command, *blocks]) + "\n```"


def main() -> None:
    """Write the page's tables."""
    fill(PAGE, "study", shown())
    fill(PAGE, "asymptotic", shown(*H))


if __name__ == "__main__":
    main()
