"""One engine for all simulation: what mechanisms would release, and tasks over processors."""
