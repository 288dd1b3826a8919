"""What the verbs share: options, the terminal, outputs, how a run is described."""
