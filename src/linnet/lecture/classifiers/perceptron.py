"""The perceptron (S0 Exercise 1.4)."""

from linnet.lecture import Perceptron

__all__ = ["Perceptron"]
