"""A fitted model as a JSON file that holds no code."""
