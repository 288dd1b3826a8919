"""Classifiers from densities: normal distributions, Parzen windows (SPEC M-08 - M-14, M-106).

Problem: minimise the probability of error. Given p(k) and p(x | k) the answer is the class of
largest joint p(k) p(x | k) (M-01); what is left is to estimate the densities from examples:

    GaussianBayes   p(x | k) = N(x; mu_k, S_k), maximum likelihood: a closed form
    ParzenWindows   p(x | k) = mean over the examples x_i of class k of h^-J phi((x - x_i) / h)

``UnivariateNormal`` and ``MultivariateNormal`` are the densities themselves.
"""

from __future__ import annotations

from linnet.learn.density.gaussian_bayes import GaussianBayes
from linnet.learn.density.normal import MultivariateNormal, UnivariateNormal
from linnet.learn.density.parzen import ParzenWindows, parzen_log_density

__all__ = [
    "GaussianBayes",
    "MultivariateNormal",
    "ParzenWindows",
    "UnivariateNormal",
    "parzen_log_density",
]
