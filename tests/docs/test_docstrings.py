"""Examples in docstrings run, and public names are documented."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import dpwerm

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(dpwerm.__path__, "dpwerm.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", [name for name in dpwerm.__all__ if name != "__version__"])
def test_public_names_are_documented(name: str) -> None:
    public = getattr(dpwerm, name)
    assert inspect.getdoc(public)
    for method, member in vars(public).items():
        if callable(member) and not method.startswith("_"):
            assert inspect.getdoc(getattr(public, method)), f"{name}.{method}"
