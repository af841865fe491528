"""Accuracy and value of the methods on trials whose truth is known."""
