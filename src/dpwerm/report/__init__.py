"""A rule as text and as a picture; everything shown comes from public objects."""
