"""What an evaluation is made of: the benefit within its bounds alone, and what is refused."""

from dataclasses import replace

from dpwerm.rules.declaration import Declaration

CONFIDENCES = (0.5, 0.999)
NOT_EVALUATED = {
    "worst_case": "nothing is known of where the probabilities come from",
    "ridge": "its propensity model was fitted to the same people and is not released",
}
"""Origins under which one person could move the weights of all others, and why."""


def for_evaluation(declaration: Declaration) -> Declaration:
    """Return a declaration whose benefit is clipped at nothing but its bounds.

    The centre is the midpoint: it makes V as small as it can be and changes no value.
    """
    benefit = declaration.benefit.model_copy(
        update={"weights": "signed", "declared_centre": "midpoint", "declared_clip": "range"}
    )
    return replace(declaration, benefit=benefit)
