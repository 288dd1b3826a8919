"""The room of the lab: algorithms watched in a browser, computed by the library itself.

A view is a pair: ``lab/<view>.py`` answers settings with numbers, ``lab/page/<view>.js`` draws
them. :mod:`linnet.lab.views` lists them, :mod:`linnet.lab.app` serves them,
:mod:`linnet.lab.export` writes one of them as a page that needs no server.
"""
