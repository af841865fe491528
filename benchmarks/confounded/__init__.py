"""What confounding costs, and at which n and ε a private propensity model undoes it."""
