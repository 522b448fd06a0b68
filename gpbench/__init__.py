"""gpbench: the benchmarks of five sparse Gaussian process papers, side by side."""

__version__ = "0.1.0"
