"""Treatment rules: outcome weights, the estimator, the rule and its file."""
