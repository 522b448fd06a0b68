"""What is drawn from a results folder: tables, plots, its page, and the site over many folders."""
