"""The ledger: what a study has spent, written down before any noise is drawn."""
