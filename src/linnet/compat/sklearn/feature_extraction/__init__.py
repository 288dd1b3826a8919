"""``sklearn.feature_extraction``: the vectorisers of texts, in ``text``."""
