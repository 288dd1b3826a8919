"""More text than memory: streams of examples, features kept on disk, work that can be resumed."""
