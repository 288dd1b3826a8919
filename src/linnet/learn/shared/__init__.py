"""Parts that several lecture names use."""
