"""How good a fitted model is: rows left out, simpler predictors, the relevance of its inputs, what to try next."""
