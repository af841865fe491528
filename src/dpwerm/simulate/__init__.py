"""Simulated trials whose truth is known; none of them holds a person."""
