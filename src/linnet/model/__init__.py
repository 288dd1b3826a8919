"""Model = reader × scorer × decision: what users hold goes in, labels come out.

:class:`linnet.TextClassifier`, :class:`linnet.RowClassifier` and :class:`linnet.SequenceTagger`
learn; a :class:`linnet.Model` is what they have learned, all that predicting needs. The public
names are those of :mod:`linnet`, imported when first used, so that a saved model predicts with
NumPy and the core alone.
"""
