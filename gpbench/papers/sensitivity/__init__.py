"""How far a printed number depends on what its paper leaves open: the range of our means over admissible protocols."""
