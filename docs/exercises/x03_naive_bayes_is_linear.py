"""X-03 (S0 Exercise 1.3): Gaussian naive Bayes with a given variance is a linear classifier.

Question
    Derive w_y and b_y for a variance v that is known and the same for all classes and features,
    and compare the boundary with the best possible one.

Answer
    ln p(y) + ln p(x|y) = ln p(y) - J/2 ln(2 pi v) - ||x - m_y||² / (2v). The part ||x||² / (2v)
    of the square is the same for every class and drops out of the argmax, as does the
    logarithm. What remains is linear in x:

        w_y = m_y / v        b_y = ln p(y) - ||m_y||² / (2v)

    Densities and linear scores give the same labels and differ, for each x, by the same amount
    in every class. The best boundary has the same formula with the true means and priors, so
    the two lines differ by the error of the estimates only: the angle between them and the lost
    accuracy go to 0 as the sample grows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run, save
from numpy.typing import NDArray
from scipy.stats import norm

import linnet.lecture as lab


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the numbers printed."""
    sd = lab.SimpleDataSet(nr_examples=200)
    gnb = lab.GaussianNaiveBayes()
    params = gnb.train(sd.train_X, sd.train_y)
    linear = gnb.get_scores(sd.test_X, params)
    densities = np.log(gnb.prior) + norm.logpdf(sd.test_X[:, None, :], gnb.means).sum(axis=2)
    difference = densities - linear
    spread = float(np.ptp(difference, axis=1).max())
    same = bool((densities.argmax(axis=1) == linear.argmax(axis=1)).all())
    print(f"w and b (row 0) of each class\n{params.round(4)}")
    print(f"Same labels as by the densities: {same}")
    print(f"Largest difference between the classes' offsets: {spread:.1e}")
    fig, axis = sd.plot_data()
    save(sd.add_line(fig, axis, params, "naive Bayes", "red")[0], output, "x03_boundaries.png")

    found = {"spread": spread, "same labels": float(same)}
    print("\npoints  angle to the best line  accuracy lost")
    for points in (20, 200, 2000, 200_000):
        sd = lab.SimpleDataSet(nr_examples=points, split=[1, 0, 0], seed=3)
        params = gnb.train(sd.train_X, sd.train_y)
        angle = _angle(params, sd.get_bayes_optimal())
        lost = _error(params, sd) - sd.bayes_error()
        print(f"{points:6d} {angle:14.3f} degrees {lost:14.6f}")
        found[f"angle {points}"], found[f"lost {points}"] = angle, lost
    return found


def _normal(params: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return bias and weights of the boundary, w_1 - w_0, shape (3,)."""
    return np.asarray(params[:, 1] - params[:, 0])


def _angle(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    a, b = _normal(first)[1:], _normal(second)[1:]
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    return float(np.degrees(np.arccos(min(1.0, cosine))))


def _error(params: NDArray[np.float64], sd: lab.SimpleDataSet) -> float:
    """Return the exact error of a line on the true distribution: one normal tail for each class."""
    bias, *weights = _normal(params)
    margins = (sd.means @ weights + bias) * [-1, 1]
    tails = norm.cdf(-margins / (np.linalg.norm(weights) * np.sqrt(sd.variances)))
    return float(sd.priors @ tails)


if __name__ == "__main__":
    run(main, __doc__)
