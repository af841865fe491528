"""Conditions of a value file: cut off, edited, of another kind, or hostile."""

from collections.abc import Mapping

from tests.bad_input.rule_files import CONDITIONS as RULE_FILES
from tests.bad_input.rule_files import Edit, edited

CONDITIONS: Mapping[str, Edit] = {
    "truncated": RULE_FILES["truncated"],
    "a sum edited": edited("sums.integers.0", 1),
    "a sum edited, new digest": edited("sums.integers.0", 1, forge=True),
    "epsilon edited, new digest": edited("certificate.epsilon", "0.1", forge=True),
    "epsilon no number, new digest": edited("certificate.epsilon", "much", forge=True),
    "sensitivity edited, new digest": edited("certificate.sensitivity", 1, forge=True),
    "private although seeded": edited("certificate.randomness", "seeded", forge=True),
    "an interval edited, new digest": edited("values.0.lower", 0.0, forge=True),
    "notice edited, new digest": edited("notice", "Checked by an ethics board.", forge=True),
    "a sum too many": edited("sums.integers", [1] * 13, forge=True),
    "confidence above 0.999": edited("confidence", 1.0, forge=True),
    "of a rule that is no digest": edited("rule.digest", 7, forge=True),
    "an origin that is never evaluated": edited(
        "treatment",
        {
            "column": "arm",
            "arms": ["pill", "therapy"],
            "propensity": "chance",
            "propensity_floor": "1/10",
            "origin": "worst_case",
        },
        forge=True,
    ),
    "no number of rows under replace_one": edited("certificate.n", None, forge=True),
    "a number of rows under add_remove": edited("certificate.relation", "add_remove", forge=True),
    "of another version": edited("version", 3),
    "of another format": edited("format", "other-value"),
    "a key unknown": edited("comment", "hello"),
    "NaN": edited("values.0.lower", float("nan")),
    "a huge sum": edited("sums.integers.0", 10**60),
    "a name of two lines, new digest": edited("study.name", "Trial\nepsilon 0.01", forge=True),
    "nested deeply": RULE_FILES["nested deeply"],
}
