"""A released rule in other languages."""
