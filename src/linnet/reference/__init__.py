"""The lectures' algorithms in plain NumPy: teaching text, and the oracle of the tests.

Each module is one idea, written as the lecture writes it: dense float64 arrays, loops over
examples where the lecture loops, no tricks for speed. The fast learners of linnet are checked
against these pages weight for weight.

Features
    text                     tokens, n-grams, counts, tf-idf, log-count ratio, hashing

Learners
    naive_bayes              multinomial and Bernoulli naive Bayes
    gaussian_naive_bayes     naive Bayes with normal features
    perceptron               binary and multiclass perceptron, margins, averaging, truncation
    mira                     MIRA and the passive-aggressive variants
    maxent                   maximum entropy: model, objectives, gradient, Hessian
    svm                      hinge objectives, their duals, duality gaps
    regression               least squares
    joint_map                f(x, y), and perceptron, MIRA, MaxEnt over any such map
    multiclass               one-vs-rest, one-vs-one

Optimisers
    gradient_descent         fixed steps, schedules, Armijo
    conjugate_gradient       Polak-Ribiere+, and the linear solver
    lbfgs                    L-BFGS, and orthant-wise for L1
    newton                   dense and truncated
    iterative_scaling        GIS and IIS
    dual_coordinate_descent  SVM, logistic regression, Crammer-Singer
    sgd, pegasos             one example, or one small batch, at a time

Parts
    common, online, averaging, losses, schedules, line_search, optimum, margins, stopping,
    conversions
"""

from linnet.reference import (
    averaging,
    common,
    conjugate_gradient,
    conversions,
    dual_coordinate_descent,
    gaussian_naive_bayes,
    gradient_descent,
    iterative_scaling,
    joint_map,
    lbfgs,
    line_search,
    losses,
    margins,
    maxent,
    mira,
    multiclass,
    naive_bayes,
    newton,
    online,
    optimum,
    pegasos,
    perceptron,
    regression,
    schedules,
    sgd,
    stopping,
    svm,
    text,
)

__all__ = [
    "averaging",
    "common",
    "conjugate_gradient",
    "conversions",
    "dual_coordinate_descent",
    "gaussian_naive_bayes",
    "gradient_descent",
    "iterative_scaling",
    "joint_map",
    "lbfgs",
    "line_search",
    "losses",
    "margins",
    "maxent",
    "mira",
    "multiclass",
    "naive_bayes",
    "newton",
    "online",
    "optimum",
    "pegasos",
    "perceptron",
    "regression",
    "schedules",
    "sgd",
    "stopping",
    "svm",
    "text",
]
