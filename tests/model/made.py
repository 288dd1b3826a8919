"""Small labelled texts and ways to compare what models say, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

WORDS = {
    "sport": ["goal", "match", "team", "Ball", "runner"],
    "food": ["soup", "bread", "crème brûlée", "Äpfel", "spoon"],
    "music": ["violin", "song", "chord", "bass", "tune"],
}
COMMON = ["the", "a", "was", "and", "very", "good", "bad", "1984", "today", "it"]


def texts_of(n: int, classes: int = 3, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return n texts about sport, food and music, a little mixed, and their labels."""
    draw = np.random.default_rng(seed)
    topics = list(WORDS)[:classes]
    texts, labels = [], []
    for row in range(n):
        label = topics[row % classes]
        other = topics[int(draw.integers(classes))]
        words = [
            *draw.choice(WORDS[label], int(draw.integers(1, 4))),
            *draw.choice(WORDS[other], int(draw.integers(0, 3))),
            *draw.choice(COMMON, int(draw.integers(0, 5))),
        ]
        draw.shuffle(words)
        texts.append(" ".join(words))
        labels.append(label)
    return texts, labels


def bags_of(texts: list[str]) -> list[dict[str, float]]:
    """Return the words of each text with their counts."""
    return [{word: float(text.split().count(word)) for word in text.split()} for text in texts]


def same_bits(model: Any, twin: Any, X: Any) -> None:
    """Fail unless both give the same scores, probabilities and labels for X, in every bit."""
    for verb in ("decision_function", "predict_proba"):
        one, two = getattr(model, verb)(X), getattr(twin, verb)(X)
        assert one.dtype == two.dtype and one.shape == two.shape
        assert one.tobytes() == two.tobytes(), verb
    assert model.predict(X).tolist() == twin.predict(X).tolist()
    assert model.predict(X).dtype == twin.predict(X).dtype
    assert model.classes_.dtype == twin.classes_.dtype
    assert model.classes_.tolist() == twin.classes_.tolist()
