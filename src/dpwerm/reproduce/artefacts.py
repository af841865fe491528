"""Every artefact of the paper by its name on the command line, in the order of the paper."""

from types import MappingProxyType

from dpwerm.reproduce.artefact import Artefact

_ALL: tuple[Artefact, ...] = ()

ARTEFACTS = MappingProxyType({artefact.name: artefact for artefact in _ALL})
