"""A report as plain data for other programs: the same blocks, each with its kind."""

from dataclasses import asdict
from typing import Any

from dpwerm.report.content import Block, Report

FORMAT, VERSION = "dpwerm-report", 1


def as_data(report: Report) -> dict[str, Any]:
    """Return the report as plain values; a picture is given by its words."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": report.title,
        "notices": list(report.notices),
        "private": report.private,
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "blocks": [_plain(block) for block in section.blocks],
            }
            for section in report.sections
        ],
        "library": report.library,
    }


def _plain(block: Block) -> dict[str, Any]:
    plain = {"kind": block.kind, **asdict(block)}
    plain.pop("svg", None)
    return plain
