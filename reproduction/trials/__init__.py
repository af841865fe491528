"""Real trials and a simulated stand-in: Table I, Figure 2, and ACTG 175."""
