"""Texts that a spreadsheet would compute, and texts and numbers that it would not: the same cases for every writer."""

FORMULAS = (
    "=1+1",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    '+1*HYPERLINK("http://x")',
    "-a",
    "-",
    "+",
    "-inf",
    "-1_000",
    "-٣",
    "+1+1-",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1+1",
    "\uff0b1",
    "\uff0d1",
    "\uff20SUM(1)",
)
PLAIN = ("", "a=1", "-1", "+1", "-1.5", "+.5", "-1.", "-1e-5", "+2E+10", "3-4", "'=1", "5%", "0.1")
