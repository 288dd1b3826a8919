"""Fitting: from labelled examples to a model, with what held-out examples say on the way."""
