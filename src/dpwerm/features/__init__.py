"""Public maps from a row to a point of a known set."""
