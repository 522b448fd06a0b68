"""`gpbench advise`: which method and how many basis vectors for a user's own rows, within a budget of time."""
