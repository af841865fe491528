"""The sections of a report, one question of its reader in each module."""
