"""The day on which an entry was made, and no time of day: that would tell how long a fit took."""

from datetime import UTC, datetime


def today() -> str:
    """Return the day in Greenwich, such as "2026-11-16"; nothing depends on it."""
    return datetime.now(UTC).date().isoformat()
