"""Parameters of estimators, read and checked once."""
