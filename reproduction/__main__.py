"""``python -m reproduction``: the tables and figures of the paper, beside what is published."""

from dpwerm.cli.main import run
from reproduction.command import main

if __name__ == "__main__":
    run(main)
