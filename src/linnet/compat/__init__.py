"""Stand-ins for other programs' Python modules, with their signatures and their answers.

``linnet.compat.fasttext`` predicts as ``fasttext`` does, ``linnet.compat.pycrfsuite`` tags and
trains as ``pycrfsuite`` does, ``linnet.compat.sklearn_crfsuite`` is an estimator as
``sklearn_crfsuite`` is. A program that imports the originals runs unchanged after

    import sys, linnet.compat.fasttext
    sys.modules["fasttext"] = linnet.compat.fasttext
"""
