"""Studies for tests of the pipeline's audit: small, with γ declared, so that a fit is fast."""

from dpwerm.study.study import Study

TRIAL = """
format = 1

[study]
id = "made-up"
relation = "{relation}"
{about}
{person}
{features}
[treatment]
column = "arm"
{arms}

[benefit]
column = "gain"
bounds = [-10, 10]
clip = "range"
{benefit}

[method]
gamma = {gamma}
h = 0.5
mechanism = "{mechanism}"
"""

EVEN = "arms = { pill = 0.5, therapy = 0.5 }"


def made_up(
    numbers: int = 1,
    *,
    gamma: float = 400.0,
    mechanism: str = "spherical-laplace",
    relation: str = "replace_one",
    arms: str = EVEN,
    benefit: str = "",
    more: str = "",
    person: str = "",
    about: str = "planned_n = 100",
) -> Study:
    """Return a study of some numbers; more: further features; about: further keys of [study]."""
    features = "".join(
        f'[features.x{j}]\nkind = "number"\nbounds = [{j}, {j + 4}]\n' for j in range(numbers)
    )
    return Study.parse(
        TRIAL.format(
            features=features + more,
            gamma=gamma,
            mechanism=mechanism,
            relation=relation,
            arms=arms,
            benefit=benefit,
            person=person,
            about=about,
        )
    )
