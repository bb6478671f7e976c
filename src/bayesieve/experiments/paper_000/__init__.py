"""Gidófalvi and Zadrozny: feature selection for class probability estimation, table 3 and figure 1.

Whom to send a letter of $0.68: naive Bayes on some columns says who will answer, a linear regression on past gifts how
much. On KDD Cup 1998 where its files are at hand, and on simulated campaigns, whose truth is known: profits are then
expected under the true probabilities and amounts, and no lucky gift counts.
"""

from bayesieve.experiments.paper_000.experiment import mailing_table

__all__ = ["mailing_table"]
