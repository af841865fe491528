"""What benchmarks write: tables between the marks of a page."""

from pathlib import Path


def fill(page: Path, name: str, text: str) -> None:
    """Replace what stands between two marks of a page."""
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    content = page.read_text(encoding="utf-8")
    head, rest = content.split(start)
    page.write_text(f"{head}{start}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")
