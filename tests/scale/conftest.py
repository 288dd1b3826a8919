"""One small cluster for all tests of this folder."""

import pytest


@pytest.fixture(scope="session")
def client():
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
