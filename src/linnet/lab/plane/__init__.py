"""The plane: points with two features, and learners that divide them, step by step (X-08).

The steps of an online learner are those of its ``steps``: the first examples one by one, then
whole rounds. Those of a solver are its iterations. A learner without iterations has one step, a
tree one for each level.
"""

from linnet.lab.plane.answer import answer

__all__ = ["answer"]
