"""The mechanisms of output perturbation by name: each has a law of noise for any sensitivity."""

from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.output_perturbation import OutputPerturbation

NOISE_LAWS = {name: one for name, one in MECHANISMS.items() if isinstance(one, OutputPerturbation)}
