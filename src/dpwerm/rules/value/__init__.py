"""The value of a rule on sensitive data, released with its error under a budget of its own."""
