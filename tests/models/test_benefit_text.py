"""The explanation of a decision by benefits, as it is printed."""

from bayesieve.explain.benefit_explanation import AmountContribution, BenefitExplanation


def test_an_explanation_lists_benefits_amounts_and_what_columns_add():
    parts = (AmountContribution("age", 40, "<= 50", 2.0), AmountContribution("town", None, "missing", -0.5))
    text = str(BenefitExplanation("mail", {"mail": 1.25, "none": 0.0}, 11.5, 10.0, parts, "probability 0.2"))
    assert text.splitlines() == [
        "action 'mail'; expected benefits 'mail': +1.250, 'none': +0.000",
        "amount 11.500",
        "  +10.000  without any column",
        "  +2.000  age = 40 (<= 50)",
        "  -0.500  town = missing",
        "probability 0.2",
    ]
    plain = str(BenefitExplanation("mail", {"mail": 1.25}, None, None, (), "probability 0.2"))
    assert plain == "action 'mail'; expected benefits 'mail': +1.250\nprobability 0.2"
