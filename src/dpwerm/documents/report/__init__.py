"""The report on a rule."""
