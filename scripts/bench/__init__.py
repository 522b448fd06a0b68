"""`python -m scripts.bench`: every hot path beside one matrix product timed in the same process."""
