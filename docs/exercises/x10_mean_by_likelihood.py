"""X-10 (S1 "Problem – MLE for the mean of univariate normal density"): the sample mean.

Question
    Derive the maximum-likelihood estimate of the mean of a univariate normal density, and that of
    the variance.

Answer
    With θ = μ the log-likelihood of x_1, …, x_n is

        l(μ) = Σ_k [ -½ ln(2πσ²) - (x_k - μ)² / (2σ²) ]

    Its slope, Σ_k (x_k - μ) / σ², is zero where Σ_k x_k = n μ, that is at the sample mean, whatever
    σ² is; the second derivative -n / σ² is negative, so this is the maximum. Differentiating by σ²
    instead gives -n / (2σ²) + Σ_k (x_k - μ)² / (2σ⁴) = 0, hence σ² = Σ_k (x_k - μ)² / n: divided by
    n, not by n - 1, and so too small on average, by the factor (n - 1) / n.

    For 1, 2, 3, 4 these are 2.5 and 1.25, and the log-likelihood is -6.122041. The run below
    confirms that no other mean does better, that the slope vanishes, and the bias of the variance.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run, save

from linnet.learn.density import UnivariateNormal

X = np.array([1.0, 2.0, 3.0, 4.0])
STEP = 1e-6


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the estimates and what was checked."""
    normal = UnivariateNormal.fit(X)
    found = {
        "mean": float(normal.mean),
        "variance": float(normal.variance),
        "log-likelihood": normal.log_likelihood(X),
        "slope at the mean": _slope(float(normal.mean), float(normal.variance)),
        "best of a grid": _best_of_a_grid(float(normal.variance), output),
        "mean variance of samples of 4": _average_variance(),
    }
    for name, value in found.items():
        print(f"{name:30} {value:.6f}")
    return found


def _likelihood(mean: float, variance: float) -> float:
    return float(np.sum(-0.5 * np.log(2 * np.pi * variance) - (X - mean) ** 2 / (2 * variance)))


def _slope(mean: float, variance: float) -> float:
    """Return the slope of the log-likelihood in the mean, by finite differences."""
    up, down = _likelihood(mean + STEP, variance), _likelihood(mean - STEP, variance)
    return (up - down) / (2 * STEP)


def _best_of_a_grid(variance: float, output: Path | None) -> float:
    from matplotlib import pyplot

    means = np.linspace(0.0, 5.0, 501)
    values = [_likelihood(mean, variance) for mean in means.tolist()]
    figure, axes = pyplot.subplots()
    axes.plot(means, values)
    axes.set_xlabel("mean")
    axes.set_ylabel("log-likelihood")
    save(figure, output, "x10_log_likelihood.png")
    return float(means[int(np.argmax(values))])


def _average_variance() -> float:
    """Return the mean of the estimate over many samples of size 4 from N(0, 1): near 3/4."""
    samples = np.random.default_rng(0).standard_normal((20_000, 4))
    return float(np.mean([UnivariateNormal.fit(sample).variance for sample in samples]))


if __name__ == "__main__":
    run(main, __doc__)
