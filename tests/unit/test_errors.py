"""Errors list every fault, survive pickling and say what would be right."""

import pickle

from dpwerm.errors import Fault, StudyError


def test_all_faults_are_listed() -> None:
    error = StudyError("study.toml", [Fault("a", "is wrong", "write b"), Fault("c", "is missing")])
    assert str(error) == "study.toml: 2 faults\n  a: is wrong; write b\n  c: is missing"


def test_one_fault_is_singular() -> None:
    assert str(StudyError("s", [Fault("a", "b")])).startswith("s: 1 fault\n")


def test_errors_can_be_pickled() -> None:
    error = StudyError("s", [Fault("a", "b")])
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert str(copy) == str(error)
    assert copy.faults == error.faults
