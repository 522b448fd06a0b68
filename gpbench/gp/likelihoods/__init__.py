"""Likelihoods p(y | f) of one target given the latent function at its inputs: one file each, found by its name."""
