"""How many features to select.

The selection path has a score for every number of features: the log loss in five-fold cross-validation. These scores
guided the selection, so they are optimistic. Compare them with the log loss on held-out rows.

python examples/how_many_features.py
"""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from bayesieve import SelectionPathDisplay, SelectiveNaiveBayes

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

model = SelectiveNaiveBayes().fit(train, y_train)
SelectionPathDisplay.from_estimator(model)

for size in (1, 3, len(model.path_.order)):
    loss = log_loss(y_test, model.select(size).predict_proba(test))
    print(f"{size:2} features: log loss {loss:.3f} on held-out rows")
