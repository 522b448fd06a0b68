"""The methods from Python: estimators with scikit-learn's manners, saved models, advice for one's own data."""
