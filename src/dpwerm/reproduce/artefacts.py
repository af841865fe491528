"""Every artefact of the paper by its name on the command line, in the order of the paper."""

from types import MappingProxyType

from dpwerm.reproduce.artefact import Artefact
from dpwerm.reproduce.gamma import figure3, figure4, supplement
from dpwerm.reproduce.gamma import flat as gamma_flat
from dpwerm.reproduce.gamma import published as gamma_published
from dpwerm.reproduce.synthetic import figure1, robustness, table2
from dpwerm.reproduce.trials import actg175, figure2, table1

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
