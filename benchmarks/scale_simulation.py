"""How the sum over parts scales to a thousand workers: a simulation of one step of training.

A step of Newton's method sends the weights to all workers, each adds up the gradient of its parts,
and the gradients are added in a tree with four children a node, as linnet.scale does. The
simulation plays it with what was measured of one machine and assumptions about the others:

    --compute    seconds of one worker for all data, once
    --megabytes  size of weights and of a gradient
    --network    MB/s of one worker's network, each direction
    --overhead   seconds of the scheduler for a task, one at a time
    --spread     of the speed of workers: standard deviation of its logarithm

    python benchmarks/scale_simulation.py
    python benchmarks/scale_simulation.py --compute 3600 --megabytes 80

Workers that are slow at one step are slow by chance, as on shared machines. A link takes one
message at a time. No part of the tree waits for more than its own children.
"""

from __future__ import annotations

import argparse
from math import ceil, log

import numpy as np

FAN_IN = 4
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def step_seconds(workers: int, wanted: argparse.Namespace, rng: np.random.Generator) -> float:
    """Return how long one step takes: weights out, gradients computed, their sum back."""
    send = wanted.megabytes / wanted.network
    rounds = ceil(log(workers, FAN_IN)) if workers > 1 else 0
    # The weights go down a tree like the sum goes up: a worker passes them to FAN_IN others.
    arrives = rounds * FAN_IN * send
    handed = wanted.overhead * np.arange(1, workers + 1)
    speed = np.exp(rng.normal(0, wanted.spread, workers))
    ready = arrives + handed + wanted.compute / workers / speed
    while len(ready) > 1:
        levels = [ready[k : k + FAN_IN] for k in range(0, len(ready), FAN_IN)]
        # The first child's worker adds up: the others' messages reach its link one after the other.
        ready = np.array([_received(np.sort(level), send) for level in levels])
        ready += wanted.overhead * len(ready)
    return float(ready[0])


def _received(children: np.ndarray, send: float) -> float:
    done = children[0]
    for child in children[1:]:
        done = max(done, child) + send
    return float(done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compute", type=float, default=600)
    parser.add_argument("--megabytes", type=float, default=8)
    parser.add_argument("--network", type=float, default=1000)
    parser.add_argument("--overhead", type=float, default=2e-4)
    parser.add_argument("--spread", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=200)
    wanted = parser.parse_args()
    rng = np.random.default_rng(0)
    print("workers   a step   speed-up   efficiency   computing")
    alone = None
    for workers in WORKERS:
        seconds = np.mean([step_seconds(workers, wanted, rng) for _ in range(wanted.steps)])
        alone = alone or seconds
        ideal = wanted.compute / workers
        faster = alone / seconds
        print(
            f"{workers:7} {seconds:8.2f} s {faster:9.1f}  {faster / workers:10.0%}"
            f" {ideal / seconds:11.0%}"
        )


if __name__ == "__main__":
    main()
