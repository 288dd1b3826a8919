"""X-13 (S1 "Problem: Average perceptron"): the efficient listing averages the weights.

Question
    Show that the listing, which keeps w and the sum w_a of c times each update and returns
    w - w_a / c, performs weight averaging.

Answer
    Let u_i be the update at step i (0 when there is none), so that the vector after step i is
    w_i = u_1 + … + u_i. Update u_i is part of w_i, …, w_n, that is of n - i + 1 vectors, hence

        B = (w_1 + … + w_n) / n = Σ (n - i + 1) u_i / n = w_n + w_n / n - Σ i u_i / n

    The lecture's last step loses the "+ 1": w_n - Σ i u_i / n is not B but the average
    A = (w_0 + … + w_{n-1}) / n of the vectors used for predicting, and B - A = w_n / n. The
    listing itself is a third thing: its counter ends at c = n + 1, so it returns

        C = w_n - Σ i u_i / (n + 1) = (w_1 + … + w_n) / (n + 1) = n / (n + 1) · B

    It does perform averaging: C is B up to a positive factor and decides every example alike.
    The run below confirms all three identities. An average over the updates only (D) is a
    different vector: it counts mistakes, not how long a vector survived.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run
from numpy.typing import NDArray

import linnet

X = np.array([[2.0, 1.0], [-1.0, -2.0], [1.0, -1.0], [-2.0, 1.0], [0.5, -2.0]])
Y = np.array([1, -1, 1, -1, -1])
ROUNDS = 5


def main(output: Path | None = None) -> dict[str, NDArray[np.float64]]:
    """Solve the exercise; return (b, w1, w2) of each kind of average."""
    kinds = {"w_n": False, "A": "before", "B": "after", "C": "listing", "D": "mistakes"}
    vectors = {name: _trained(average) for name, average in kinds.items()}
    for name, vector in vectors.items():
        print(f"{name:4} b = {vector[0]:9.6f}  w = ({vector[1]:.6f}, {vector[2]:.6f})")
    n = ROUNDS * len(X)
    print(f"B - A = w_n / n:   {np.allclose(vectors['B'] - vectors['A'], vectors['w_n'] / n)}")
    print(f"C = n / (n+1) * B: {np.allclose(vectors['C'], n / (n + 1) * vectors['B'])}")
    print(f"C by the listing:  {np.allclose(vectors['C'], _listing())}")
    return vectors


def _trained(average: bool | str) -> NDArray[np.float64]:
    model = linnet.Perceptron(
        average=average, max_iter=ROUNDS, shuffle=False, stop_when_clean=False
    ).fit(X, Y)
    return np.concatenate([model.intercept_, model.coef_[0]])


def _listing() -> NDArray[np.float64]:
    """Run the lecture's listing line by line, the bias in front."""
    points = np.column_stack([np.ones(len(X)), X])
    w, w_a, c = np.zeros(3), np.zeros(3), 1
    for _ in range(ROUNDS):
        for x, y in zip(points, Y, strict=True):
            if y * (w @ x) <= 0:
                w += y * x
                w_a += c * y * x
            c += 1
    return w - w_a / c


if __name__ == "__main__":
    run(main, __doc__)
