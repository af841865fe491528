"""Re-derive a release's claim: the certificate is a function of the facts inside it.

Whatever follows from something else is computed again and compared. Facts that follow from
nothing else (γ, the bounds, ε, the charge in a ledger) can only be protected by a digest or by the
ledger itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dpwerm.errors import DpwermError
from dpwerm.releases.certificate import certify
from dpwerm.releases.release import Release


@dataclass(frozen=True)
class Finding:
    """One check of a release: what was checked, what is recorded, what follows."""

    what: str
    recorded: object
    derived: object

    @property
    def holds(self) -> bool:
        """Whether the recorded value is the derived one."""
        return type(self.recorded) is type(self.derived) and self.recorded == self.derived


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every scalar of nested plain data with its dotted path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


def verify_release(release: Release) -> list[Finding]:
    """Return one finding per recorded value, each compared with what follows from the facts."""
    recorded = release.certificate
    findings = [
        Finding("coefficients", len(release.integers), len(release.encoding.coefficient_names))
    ]
    try:
        derived, _ = certify(
            recorded.specification(),
            release.encoding,
            recorded.n,
            secure=recorded.randomness == "operating system",
            library=recorded.library,
            receipt=recorded.receipt,
        )
    except DpwermError as error:
        return [*findings, Finding("certificate", "refused", str(error))]
    expected = dict(leaves(derived.model_dump(mode="json")))
    found = dict(leaves(recorded.model_dump(mode="json")))
    paths = [*expected, *(path for path in found if path not in expected)]
    findings += [
        Finding(f"certificate.{path}", found.get(path), expected.get(path)) for path in paths
    ]
    return findings
