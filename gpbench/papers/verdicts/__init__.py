"""When a printed number is replicated: the rule, the cells, the order of methods, the trials that are still needed."""
