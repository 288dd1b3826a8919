"""``sklearn``'s linear classifiers of texts: its modules, classes and parameters, trained here.

A program that begins

    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    from sklearn.linear_model import SGDClassifier
    from sklearn.naive_bayes import MultinomialNB

runs with ``linnet.compat.sklearn`` in place of ``sklearn`` in these lines. ``Pipeline``,
``GridSearchCV`` and ``metrics`` stay scikit-learn's, which take these estimators for their own.
Objectives are those of there, and what is reached is their optimum, with one exception: the hinge
of ``SGDClassifier`` penalises the intercept too (:mod:`linnet.compat.sklearn.linear_model`).
"""
