"""A comparison as one HTML page: the answer first, then how it was reached, and why.

The page loads nothing: style, script, plots and data are inside. Its content can be read without
the script, which adds sorting, choosing a learner, legends that switch, and the examples behind a
cell. Everything that comes from the data goes through :func:`~.markup.element`, which escapes it,
and a content security policy lets no other script run.
"""
