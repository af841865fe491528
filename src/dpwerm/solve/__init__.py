"""The solver: damped Newton, and a rigorous bound on its distance from the true minimiser."""
