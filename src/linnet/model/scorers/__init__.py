"""Scorers: from ids to scores, by weights, a chain, or a learner that is kept whole."""
