"""Whom to mail for the highest profit.

A letter costs money, few people answer, and the amounts differ. The best decision is to write to those whose
probability times expected amount exceeds the cost. The curve shows the expected and the realized profit on held-out
donors.

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
features = people.data[["NGIFTALL", "PGIFT", "LASTGIFT", "AVGGIFT", "LASTDATE", "RFA_2", "AGE", "INCOME", "STATE"]]
spring, autumn = slice(0, n), slice(n, 2 * n)

gift = make_pipeline(make_column_transformer(("passthrough", ["LASTGIFT", "AVGGIFT"])), LinearRegression())
mailing = BenefitClassifier(SelectiveNaiveBayes(), gift, cost=0.68)
mailing.fit(features[spring], people.target[spring], amounts=people.amounts[spring])

truth = {"y": people.target[autumn], "amounts": people.amounts[autumn]}
display = ProfitCurveDisplay.from_estimator(mailing, features[autumn], **truth)
print(f"A letter to everyone would have brought {display.curve.total[-1]:,.0f} dollars.")
print(f"{display.n_recommended:,} letters brought {mailing.realized_benefit(features[autumn], **truth)}.")
