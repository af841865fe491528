"""One engine for all simulation: automatic settings, plans, tuning, reproduction, benchmarks.

``released`` says what mechanisms would release on many data sets, each optimum found once; ``run``
spreads tasks over the processors.
"""
