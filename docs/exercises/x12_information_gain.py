"""X-12 (S1 "Problem – IG from contingency table"): what "rock-hard" tells about spam.

Question
    From the table of the χ² example, compute information gain and gain ratio of the feature
    "rock-hard" with respect to the classes ham and spam.

                rock-hard   not
        ham             4   996
        spam          100   900

Answer
    Both classes are equally frequent: H(Y) = 1 bit. The word is in 104 of 2,000 mails, P = 0.052.
    Where it is, spam is nearly certain: H(Y | rock-hard) = 0.235193; where it is not, hardly
    anything is known: H(Y | not) = 0.998150. On average 0.958476 bits remain, so

        information gain = 1 - 0.958476 = 0.041524 bits

    The feature itself has H(V) = 0.294833 bits, so the gain ratio is 0.041524 / 0.294833 =
    0.140839: per bit of its own, the word tells much; it is just not there very often.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run
from numpy.typing import NDArray

import linnet

TABLE = np.array([[4.0, 996.0], [100.0, 900.0]])  # rows ham and spam, columns with and without


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise by hand and by linnet; return the figures."""
    total, of_class, of_value = TABLE.sum(), TABLE.sum(axis=1), TABLE.sum(axis=0)
    with_it, without = (_entropy(column) for column in TABLE.T)
    remaining = float(of_value @ np.array([with_it, without]) / total)
    weights = linnet.FeatureWeights.from_table(TABLE)
    found = {
        "H(Y)": _entropy(of_class),
        "H(Y | rock-hard)": with_it,
        "H(Y | not)": without,
        "H(Y | V)": remaining,
        "information gain": _entropy(of_class) - remaining,
        "H(V)": _entropy(of_value),
        "gain ratio": (_entropy(of_class) - remaining) / _entropy(of_value),
        "information gain by linnet": float(weights.information_gain[0]),
        "gain ratio by linnet": float(weights.gain_ratio[0]),
        "chi2 by linnet": float(weights.chi2[0]),
    }
    for name, value in found.items():
        print(f"{name:28} {value:.6f}")
    return found


def _entropy(counts: NDArray[np.float64]) -> float:
    """Return the entropy in bits of a distribution given by counts."""
    share = counts[counts > 0] / counts.sum()
    return float(-(share @ np.log2(share)))


if __name__ == "__main__":
    run(main, __doc__)
