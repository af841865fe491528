"""Measurements: speed, scale and utility; nothing here is part of the package."""
