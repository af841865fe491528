"""The command line: one command per file, wiring only."""
