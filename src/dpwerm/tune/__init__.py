"""Finding γ: on simulated or independent data, or privately on the sensitive data itself."""
