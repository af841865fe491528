"""Every artefact of the paper by its name on the command line, in the order of the paper."""

from types import MappingProxyType

from dpwerm.reproduce import (
    actg175,
    figure1,
    figure2,
    figure3,
    figure4,
    gamma_flat,
    gamma_published,
    robustness,
    supplement,
    table1,
    table2,
)
from dpwerm.reproduce.artefact import Artefact

_ALL: tuple[Artefact, ...] = (
    figure1.ARTEFACT,
    table1.ARTEFACT,
    figure2.ARTEFACT,
    figure3.ARTEFACT,
    figure4.ARTEFACT,
    table2.ARTEFACT,
    *supplement.ARTEFACTS,
    gamma_published.ARTEFACT,
    gamma_flat.ARTEFACT,
    robustness.ARTEFACT,
    actg175.ARTEFACT,
)

ARTEFACTS = MappingProxyType({artefact.name: artefact for artefact in _ALL})
