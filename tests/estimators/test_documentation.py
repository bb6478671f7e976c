"""Every parameter of every estimator is documented, in the order of the signature and with its default."""

import re
from inspect import cleandoc, signature

import pytest

import bayesieve
from bayesieve import estimators

KINDS = [
    each for name in bayesieve.__all__ if isinstance(each := getattr(bayesieve, name), type) and hasattr(each, "fit")
]


def sections(kind):
    """Return the text under each heading of a docstring."""
    parts = re.split(r"^(\w[\w ]*)\n-+\n", cleandoc(kind.__doc__), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section):
    """Return the type and the text of each name."""
    joined = re.sub(r" \\\n +", " ", section)
    parts = re.split(r"^(\w+) : (.+)\n", joined, flags=re.MULTILINE)
    return {name: (form, text.strip()) for name, form, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_is_documented_with_its_default(kind):
    documented, parameters = entries(sections(kind)["Parameters"]), signature(kind).parameters
    assert list(documented) == list(parameters)
    for name, (form, text) in documented.items():
        default = parameters[name].default
        if default is not parameters[name].empty:
            shown = f'"{default}"' if isinstance(default, str) else repr(default)
            assert form.endswith(f", default={shown}")
        assert len(text) > 15


@pytest.mark.parametrize("kind", KINDS)
def test_no_entry_refers_to_another_class_or_is_left_open(kind):
    assert not re.search(r"^\s*\{[\w, ]+\}$", kind.__doc__, flags=re.MULTILINE)
    for section in ("Parameters", "Attributes"):
        for _, text in entries(sections(kind)[section]).values():
            assert not re.match(r"See `\w+`", text)


def test_estimators_are_listed_before_they_are_imported():
    """Completion in a shell and `dir` read names that are modules of their own until they are asked for."""
    assert set(estimators.__all__) <= set(dir(estimators))
