"""A tree over thousands of labels: :class:`LabelTree`."""

from linnet.learn.label_tree.label_tree import LabelTree as LabelTree

__all__ = ["LabelTree"]
