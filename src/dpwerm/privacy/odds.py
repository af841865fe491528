r"""What ε means in plain words: by how much anybody's odds can change.

.. math:: \frac{P(a \mid result)}{P(b \mid result)} \le e^{\varepsilon} \frac{P(a)}{P(b)}

for two possible rows a and b of a person (or being in the data and not), because the published
result is at most e^ε times as likely under one as under the other.
"""

import math
from decimal import Decimal

LARGEST_TOLD = 20
"""Above this ε a factor is no protection, and its number says nothing."""


def factor_words(epsilon: Decimal) -> str:
    """Return the factor e^ε in words."""
    if epsilon > LARGEST_TOLD:
        return "a factor so large that it protects nobody"
    return f"a factor {math.exp(float(epsilon)):.3g}"


def even_odds(epsilon: Decimal) -> tuple[float, float]:
    r"""Return what odds of 50:50 become at most, in percent, the first rounded up to a tenth.

    .. math:: \frac{e^\varepsilon}{1 + e^\varepsilon}
    """
    share = 1 / (1 + math.exp(-min(float(epsilon), 700.0)))
    larger = min(math.ceil(1000 * share - 1e-9) / 10, 100.0)
    return larger, round(100 - larger, 1)


def odds_words(epsilon: Decimal) -> str:
    """Say by how much a reader's odds change at most at ε, and what becomes of even odds."""
    larger, smaller = even_odds(epsilon)
    if epsilon > LARGEST_TOLD:
        return "odds may change by any factor that matters: nobody is protected"
    return (
        f"odds change by at most {factor_words(epsilon)}; "
        f"50:50 becomes at most {larger:g}:{smaller:g}"
    )
