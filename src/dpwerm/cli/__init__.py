"""The command line, wiring only; ``HOMES`` in ``main.py`` says which file holds which command."""
