"""Sensitive rows: files and frames become tables of cells."""
