"""What the lectures' comparison tables say of a learner (SPEC T-01–T-03, C-11).

Each learner carries its row as the class attribute ``properties``, so the tables can be generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

Properties: TypeAlias = Mapping[str, str | int]


def discriminative(
    *, models: str = "none", misspecified: str = "good", training: str, hyperparameters: int = 1
) -> Properties:
    """Return the row of a learner of P(y | x) or of the boundary alone.

    Examples
    --------
    >>> discriminative(models="P(y | x)", training="fair")["smoothing"]
    'optional'
    """
    return MappingProxyType(
        {
            "kind": "discriminative",
            "models": models,
            "boundary": "linear",
            "misspecified": misspecified,  # when the true model is outside the class
            "overlapping_features": "good",
            "training": training,
            "hyperparameters": hyperparameters,
            "smoothing": "optional",
            "independence": "none",
        }
    )


#: The row of a learner of P(x, y), as S0 Table 1.1 and S3's comparison have it.
GENERATIVE: Properties = MappingProxyType(
    {
        "kind": "generative",
        "models": "P(x, y)",
        "boundary": "linear",
        "misspecified": "bad",  # when the true model is outside the class
        "overlapping_features": "fair",
        "training": "closed form",
        "hyperparameters": 1,
        "smoothing": "crucial",
        "independence": "strong",
    }
)
