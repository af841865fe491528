"""Estimators as scikit-learn expects them."""
