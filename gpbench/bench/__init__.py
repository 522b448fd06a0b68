"""`python -m gpbench.bench`: every hot path beside one matrix product timed in the same process."""
