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
    kernels                  kernel functions
    kernel_perceptron        the perceptron in its dual form
    smo                      kernel support vector machines
    joint_map                f(x, y), and perceptron, MIRA, MaxEnt over any such map
    multiclass               one-vs-rest, one-vs-one
    density                  normal densities, Gaussian Bayes, Parzen windows
    decision_theory          posteriors, risks, randomised rules
    maximum_entropy          the distribution of largest entropy under constraints
    tree                     decision trees over attributes
    memory                   k nearest neighbours: distances, feature weights, votes, ties

Sequences
    local                    one decision a token, with or without the tags before it
    chain                    scores of a sentence's labellings, constraints, costs
    enumeration              all labellings one by one: the oracle
    viterbi                  best and n best labellings, order 1 and 2; pruned
    beam_search              beam search and greedy decoding
    forward_backward         ln Z and marginals, in logarithms and scaled, order 1 and 2
    global_features          Phi(x, y) as an array or a dictionary
    hmm                      hidden Markov model, Baum-Welch
    trigrams                 the HMM that looks two tags back
    memm                     maximum entropy Markov model
    structured               structured perceptron, MIRA, SVM; re-ranking
    structured_svm           the structured SVM in the dual, with a gap
    crf                      linear-chain conditional random field

Optimisers
    gradient_descent         fixed steps, schedules, Armijo
    conjugate_gradient       Polak-Ribiere+, and the linear solver
    lbfgs                    L-BFGS, and orthant-wise for L1
    newton                   dense and truncated
    iterative_scaling        GIS and IIS
    dual_coordinate_descent  SVM, logistic regression, Crammer-Singer
    sgd, pegasos, adagrad    one example, or one small batch, at a time

Evaluation
    significance             McNemar, approximate randomisation, paired bootstrap

Parts
    common, online, averaging, losses, schedules, line_search, optimum, margins, stopping,
    conversions
"""

from linnet.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
