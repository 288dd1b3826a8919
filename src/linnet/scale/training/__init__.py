"""Training over parts: what they hold, sums of what they give, and who learns from these."""
