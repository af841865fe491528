"""Private selection: one of several candidates by scores that depend on sensitive data."""
