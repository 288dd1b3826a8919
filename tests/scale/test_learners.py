"""Learners by themselves on a cluster: arrays, frames, bags, delayed parts and files of vectors."""

import dask
import dask.array
import dask.bag
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import linnet
from linnet.errors import DataError, ParameterError
from linnet.scale import fit

FLAT = {
    "nb": linnet.MultinomialNB(),
    "bernoulli": linnet.BernoulliNB(),
    "maxent": linnet.MaxEnt(C=2.0, tol=1e-8),
    "svm": linnet.SVM(C=2.0, loss="squared_hinge", multi_class="ovr", tol=1e-8),
    "sgd": linnet.SVM(C=1.0, solver=linnet.SGD(schedule=0.1, batch_size=None), max_iter=5),
    "perceptron": linnet.Perceptron(max_iter=50, average=False, shuffle=False),
    "mira": linnet.MIRA(max_iter=50, average=False, shuffle=False),
}


@pytest.fixture(scope="module")
def digits():
    """Return counts in three classes that lines can tell apart."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)[rng.permutation(60)]
    X = rng.poisson(1.0, (60, 8)).astype(float)
    X[np.arange(60), np.searchsorted(["a", "b", "c"], y)] += 9.0
    return X, y


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_learners_fit_on_arrays_of_dask(cluster, digits, name, kind):
    X, y = digits
    here = clone(FLAT[name]).fit(X, y)
    arrays = dask.array.from_array(X, chunks=(25, 8)), dask.array.from_array(y, chunks=25)
    if kind == "sparse":
        arrays = arrays[0].map_blocks(sp.csr_matrix), arrays[1]
    there = fit(clone(FLAT[name]), arrays, client=cluster)
    assert there.predict(X).tolist() == here.predict(X).tolist()
    assert there.n_features_in_ == 8
    if name in ("nb", "bernoulli"):
        assert np.array_equal(there.coef_, here.coef_)
    if name in ("maxent", "svm", "sgd"):
        np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-3)


def test_learners_fit_on_delayed_matrices_frames_and_bags(cluster, digits):
    pandas = pytest.importorskip("pandas")
    X, y = digits
    here = linnet.MultinomialNB().fit(X, y)
    halves = [dask.delayed((sp.csr_matrix(X[k]), y[k])) for k in (slice(0, 25), slice(25, 60))]
    assert np.array_equal(fit(linnet.MultinomialNB(), halves, client=cluster).coef_, here.coef_)
    frame = pandas.DataFrame(X, columns=list("stuvwxyz")).assign(kind=y)
    parts = [dask.delayed(frame[:30]), dask.delayed(frame[30:])]
    there = fit(linnet.MultinomialNB(), parts, label="kind", client=cluster)
    assert np.array_equal(there.coef_, here.coef_)
    assert there.feature_names_in_.tolist() == list("stuvwxyz")
    bags = [{f"f{j}": v for j, v in enumerate(row) if v} for row in X]
    source = dask.bag.from_sequence(zip(bags, y, strict=True), npartitions=4)
    there = fit(linnet.MultinomialNB(), source, client=cluster)
    here = linnet.MultinomialNB().fit(bags, y)
    assert there.vocabulary_ == here.vocabulary_ and np.array_equal(there.coef_, here.coef_)
    assert there.predict(bags).tolist() == here.predict(bags).tolist()


def test_columns_of_svmlight_are_numbered_by_all_files(cluster, tmp_path):
    (tmp_path / "1.svm").write_text("1 1:0.5 3:2\n-1 2:1\n")
    (tmp_path / "2.svm").write_text("1 1:1\n-1 2:1 4:1\n")
    there = fit(linnet.MultinomialNB(), tmp_path / "*.svm", client=cluster)
    assert there.n_features_in_ == 4 and there.classes_.tolist() == [-1, 1]
    (tmp_path / "3.svm").write_text("1 0:1\n-1 2:1\n")  # one that counts from 0: so do all
    there = fit(linnet.MultinomialNB(), tmp_path / "*.svm", client=cluster)
    assert there.n_features_in_ == 5


def test_files_of_counts_are_bags(cluster, tmp_path):
    for name in ("1", "2"):
        rows = "good:2 film:1 #label#:positive\nbad:2 film:1 #label#:negative\n"
        (tmp_path / f"{name}.review").write_text(rows)
    there = fit(linnet.MultinomialNB(), tmp_path / "*.review", client=cluster)
    assert there.predict([{"good": 1.0}, {"bad": 1.0}]).tolist() == ["positive", "negative"]


TAGGED = [
    ([["w=the"], ["w=dog"], ["w=runs"]], ["D", "N", "V"]),
    ([["w=dogs"], ["w=run"]], ["N", "V"]),
    ([{"w=the": 1.0, "low": 0.5}, ["w=cat"]], ["D", "N"]),
]


@pytest.mark.parametrize(
    "learner",
    [linnet.CRF(tol=1e-6), linnet.StructuredPerceptron(), linnet.CRF(solver="sgd", max_iter=20)],
)
def test_learners_of_sentences_fit_on_bags_of_features(cluster, learner):
    X, y = map(list, zip(*TAGGED, strict=True))
    bag = dask.bag.from_sequence(TAGGED, npartitions=2)
    there = fit(learner.set_params(random_state=0), bag, client=cluster)
    here = clone(learner).fit(X, y)
    assert there.vocabulary_ == here.vocabulary_
    assert there.predict(X) == here.predict(X) == y
    if learner.get_params().get("solver") == "auto":
        np.testing.assert_allclose(there.pair_weight_, here.pair_weight_, atol=1e-2)


def test_an_hmm_fits_on_words(cluster):
    sentences = [(["the", "dog"], ["D", "N"]), (["dogs", "run"], ["N", "V"])]
    there = fit(linnet.HMM(), dask.bag.from_sequence(sentences, npartitions=2), client=cluster)
    here = linnet.HMM().fit(*map(list, zip(*sentences, strict=True)))
    assert np.array_equal(there.transition_, here.transition_)
    assert there.predict([["the", "dogs"]]) == here.predict([["the", "dogs"]])


def test_parts_that_do_not_fit_together_are_refused(cluster, digits):
    X, y = digits
    learner = linnet.MaxEnt()
    odd = [dask.delayed((X[:30], y[:30])), dask.delayed((X[30:, :5], y[30:]))]
    with pytest.raises(DataError, match="partition 2 of 2 has 5 columns, but partition 1 of 2"):
        fit(learner, odd, client=cluster)
    short = [dask.delayed((X[:30], y[:29]))]
    with pytest.raises(DataError, match=r"partition 1 of 1, on worker .* 30 rows and 29 labels"):
        fit(learner, short, client=cluster)
    cut = dask.array.from_array(X, chunks=(30, 4)), dask.array.from_array(y, chunks=30)
    with pytest.raises(ParameterError, match="must not be cut into columns"):
        fit(learner, cut, client=cluster)
    whole = [dask.delayed((X, y))]
    with pytest.raises(ParameterError, match="MemoryBased needs all examples in one place"):
        fit(linnet.MemoryBased(), whole, client=cluster)
    with pytest.raises(ParameterError, match="needs all rows in one place"):
        fit(linnet.GaussianNB(), whole, client=cluster)
