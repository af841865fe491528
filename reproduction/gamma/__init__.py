"""How accuracy depends on γ: Figures 3 and 4, and the four scenarios of the supplement."""
