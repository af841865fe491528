"""Automatic settings, chosen on simulated public problems; a sensitive value never comes here."""
