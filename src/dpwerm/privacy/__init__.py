"""Privacy: what a release costs, how far one person moves it, and noise that is exact."""
