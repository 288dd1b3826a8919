"""Training on more text than fits in memory: block by block, in one pass or a few.

:mod:`linnet.stream.sources` reads files block by block and knows where it is in them,
:mod:`linnet.stream.ahead` overlaps reading, features and learning, :mod:`linnet.stream.checkpoint`
puts a run aside and takes it up again, and :mod:`linnet.stream.training` is all of it together.
"""
