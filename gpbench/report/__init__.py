"""Everything drawn from a results folder: tables, tests, plots, the page, the check. Nothing here computes a model."""
