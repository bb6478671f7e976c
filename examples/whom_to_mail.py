"""Whom to mail, so that the mailing earns most.

A letter costs money and few people answer, with amounts that differ: act where the probability times the amount is more
than the cost. The curve shows what was promised and what came, on donors that were put aside.

python examples/whom_to_mail.py [hundreds of donors]
"""

import sys

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from bayesieve import BenefitClassifier, ProfitCurveDisplay, SelectiveNaiveBayes
from bayesieve.datasets import make_donors

n = 100 * int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
people = make_donors(2 * n, random_state=1)
facts = people.data[["NGIFTALL", "PGIFT", "LASTGIFT", "AVGGIFT", "LASTDATE", "RFA_2", "AGE", "INCOME", "STATE"]]
spring, autumn = slice(0, n), slice(n, 2 * n)

gift = make_pipeline(make_column_transformer(("passthrough", ["LASTGIFT", "AVGGIFT"])), LinearRegression())
mailing = BenefitClassifier(SelectiveNaiveBayes(), gift, cost=0.68)
mailing.fit(facts[spring], people.target[spring], amounts=people.amounts[spring])

truth = {"y": people.target[autumn], "amounts": people.amounts[autumn]}
shown = ProfitCurveDisplay.from_estimator(mailing, facts[autumn], **truth)
print(f"A letter to everyone would have brought {shown.curve.total[-1]:,.0f} dollars.")
print(f"{shown.n_advised:,} letters brought {mailing.realized_benefit(facts[autumn], **truth)}.")
