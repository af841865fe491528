"""Attacks on what is released: lower bounds on ε for what we ship and for what anybody plugs in."""
