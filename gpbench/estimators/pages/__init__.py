"""Pages about one model and about advice, from the templates and charts of gpbench/html."""
