"""The value of a rule as a release."""
