"""The ways to tune on people who may be looked at, by their names; the others are private."""

INDEPENDENT, SIMULATED, PORTION = OPEN_WAYS = ("independent", "simulated", "portion")
