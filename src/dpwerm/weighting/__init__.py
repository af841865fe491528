"""Arms, propensities and benefits become a target and a weight of at most W."""
