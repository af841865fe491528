"""Losses, penalties, and the one objective."""
