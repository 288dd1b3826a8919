"""fastText's classifiers, ``.bin`` and ``.ftz``.

A text is a bag of rows of an input matrix: its words, their character n-grams, its word n-grams.
The mean of these rows is a hidden vector, and the products of that vector with the rows of an
output matrix are the labels' scores. Where there are fewer labels than dimensions, and the softmax
makes probabilities of the scores, both matrices are multiplied once and for all, so that each row
has a weight for each label (:class:`~linnet.foreign.fasttext.folded.FoldedScorer`). Otherwise two
steps stay two steps (:class:`~linnet.foreign.fasttext.scorer.FastTextScorer`), with fastText's own
bits.
"""

from __future__ import annotations

from linnet.foreign.fasttext.file import entry_counts, read

__all__ = ["entry_counts", "read"]
