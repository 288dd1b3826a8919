"""X-02 (S0 Exercise 1.2): naive Bayes for documents, and why it must be smoothed.

Question
    Train multinomial naive Bayes on the Amazon book reviews by maximum likelihood and report
    both accuracies. Why do words that were not seen in training cause problems, and what does
    add-one smoothing do?

Answer
    A word that one class has not used in training has probability 0 there, so a single such
    word rules the class out, whatever the rest of the review says. Many test reviews hold such
    words for both classes: both scores are minus infinity and the decision is a tie. Training
    accuracy does not show it (0.98), test accuracy does: 0.6650 with the vocabulary of the
    training reviews, where 103 of the 400 test reviews are ruled out by both classes, and
    0.5975 with that of all reviews, where 272 are. Adding one to every count leaves no zero and
    gives 0.8400 with either vocabulary. The formula as the lecture prints it divides by the
    number of documents instead of the number of words, does not give probabilities, and reaches
    only 0.7575 and 0.7700.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import accuracies, reviews, run

import linnet
import linnet.lecture as lab
from linnet.data import count_words, tiny


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the numbers printed."""
    found = _five_reviews()
    for cutoff_on in ("train", "all"):
        corpus = reviews(cutoff_on)
        if corpus is None:
            return found
        print(f"\nAmazon books, {len(corpus.feature_names)} features, cut-off on {cutoff_on}")
        learners = {
            "maximum likelihood": lab.MultinomialNaiveBayes(),
            "add one": lab.MultinomialNaiveBayes(smoothing=1.0),
            "add one, as printed": lab.MultinomialNaiveBayes(1.0, normalizer="documents"),
        }
        for name, mnb in learners.items():
            params = mnb.train(corpus.train_X, corpus.train_y)
            train, test = accuracies(mnb, params, corpus)
            impossible = np.isneginf(mnb.get_scores(corpus.test_X, params))
            print(
                f"{name:20} train {train:.6f} test {test:.4f}; of {len(impossible)} test reviews "
                f"{impossible.any(axis=1).sum()} are impossible for one class, "
                f"{impossible.all(axis=1).sum()} for both"
            )
            found[f"{name}, {cutoff_on}"] = test
            found[f"{name}, {cutoff_on}, ruled out"] = float(impossible.all(axis=1).sum())
    return found


def _five_reviews() -> dict[str, float]:
    """Show the same on five reviews that can be counted by hand."""
    bags = [count_words(text) for text in tiny.REVIEWS.texts]
    found = {}
    for alpha in (0.0, 1.0):
        model = linnet.MultinomialNB(alpha).fit(bags, tiny.REVIEWS.labels)
        column = model.classes_.tolist().index("-")
        share = model.predict_proba([count_words(tiny.REVIEW_TEST)])[0, column]
        print(f"P(- | {tiny.REVIEW_TEST!r}) with {alpha:g} added to each count: {share:.6f}")
        found[f"P(-) with {alpha:g}"] = float(share)
    return found


if __name__ == "__main__":
    run(main, __doc__)
