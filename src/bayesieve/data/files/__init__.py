"""Files become tables, and tables files."""
