"""The paper's bounds and its H: calculators for reading, nothing that a release rests on."""
