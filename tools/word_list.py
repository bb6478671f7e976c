# SPDX-License-Identifier: BSD-3-Clause
"""Print words that the project does not use, with the ones to use instead: ``python tools/word_list.py PATH ...``.

A new word is one more row of ``WORDS``: a regular expression, in which a space stands for a line break, too, and what
to say. A place where the word is right is one more row of ``ALLOWED``.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

SUFFIXES = (".cff", ".cpp", ".hpp", ".inc", ".j2", ".js", ".md", ".py", ".pyi", ".rst", ".toml")
GENERATED = ("_build", "demo", "gallery", "generated")

# "one row a bin" for "one row per bin"
_COUNTED = (
    "(byte|bin|candidate|column|entry|entries|file|folder|fold|job|line|message|number|output|record|row|score|second|"
    "step|table|vote|(?<=one )value|(?<=one )model)s?"
)
_UNIT = (
    "(bin|block|campaign|candidate|cell|class|code|column|command|data set|feature|file|fold|group|job|label|method|"
    "metric|month|paper|partition|person|record|row|sample|section|seed|set|size|split|step|table|test|value|worker)"
)

# Things do not talk.
_THING = "(bin|code|column|feature|fold|model|row|score|table|weight)"
_TALKS = "says?|said|tells?|knows?|knew|judges?|judged|answers?|believes?|thinks?|wants?"
_EVIDENCE = "weight of evidence of a bin, log Bayes factor of a column"

WORDS = (
    (rf"{_COUNTED} (?-i:an?) {_UNIT}", "… per …"),
    (r"(ns|ms|s|KiB|MiB|seconds?) a (row|step|cell|candidate|fit|table)", "… per …"),
    (r"looked for", "positive class"),
    (r"class (that is )?asked for", "positive class"),
    (r"share of what is said", "importance"),
    (r"what (a|each|every|the) (column|feature)s? says?", "contribution"),
    (rf"{_THING}s? ({_TALKS})", "contribute, describe, have"),
    (r"as (was )?said", "predicted probability"),
    (r"as it happened", "observed frequency"),
    (r"flatter(s|ed|ing|y)?", "optimistic, in-sample"),
    (r"honest(ly|y)?", "cross-validated, out-of-fold"),
    (r"tables? do(es)? not know", "out-of-fold, held-out"),
    (r"fitting rows", "training rows"),
    (r"(judging rows|rows? (that|which) judges?)", "validation rows"),
    (r"tak(es?|en|ing) at its word", "weight 1"),
    (r"doubts?", "regularization, pseudo-count"),
    (r"anew", "again, refitted"),
    (r"(mute|silent)", "skipped because …, uninformative"),
    (r"(?<!weight of )(?<!weights of )evidence of (a|an|each|every|one|the) (bin|column|feature)", _EVIDENCE),
    (r"charg(e|es|ed)", "penalty"),
    (r"(fit|model|search|tables?|training) (that )?never saw", "held-out, out-of-fold"),
    (r"(says|said)", "contribute, state; is uninformative for “says nothing”"),
    (r"sp(eaks?|eaking|oke|oken)", "contribute, describe"),
    (r"(does|do) not pay for", "gain does not exceed its penalty"),
    (r"(one|a single) part (is best|of a column)", "a single bin is optimal"),
    (r"n_parts", "n_bins"),
    (r"(at most|until there are|up to) so many", "that many"),
    (r"nobody", "no row, no column"),
    (r"wish(es|ed)?", "options"),
    (r"(is|are|be) taken for", "is treated as"),
    (r"(?<!here )(is|are) no (?!better|fewer|larger|less|longer|more|smaller|worse)[a-z]+", "is not a"),
    (r"learnt", "learned"),
    (r"towards", "toward"),
    (r"(?-i:Teacher|Lessons?|Fate|Bench|Pulled|PullSums|carding)", "see the names in ARCHITECTURE.md"),
    (r"((?<!cannot be )told|taught|looked_for)", "the noun that it is"),  # a verdict of the papers: cannot be told here
    (r"beside", "given, together with, next to"),
    (r'(?<="")(That|Those|Of the)', "a docstring begins with the noun that it is"),
)

ALLOWED = (
    ("README.md", r"honest(ly)?"),  # once, as a slogan
    ("README.md", r"bin a column"),  # the verb
    ("test_word_list.py", r"[^.]*"),  # its examples
)


def findings(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the word and what to say instead."""
    # A sentence goes on over indented lines, comments and strings in a row; its line breaks become one character.
    text = re.sub(r' ?"?\n[ \t]*(?:# |f?")?', "\n", path.read_text(encoding="utf-8"))
    for pattern, instead in WORDS:
        for match in re.finditer(rf"\b{pattern}\b".replace(" ", r"\s"), text, re.IGNORECASE):
            word = match[0].replace("\n", " ")
            allowed = (words for name, words in ALLOWED if path.match(name))
            if not any(re.fullmatch(words, word, re.IGNORECASE) for words in allowed):
                yield text.count("\n", 0, match.start()) + 1, word, instead


def files(paths: list[str]) -> Iterator[Path]:
    """Yield the text files of some files and folders, except for generated ones."""
    for path in map(Path, paths):
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in SUFFIXES and not set(GENERATED) & set(file.relative_to(path).parts):
                yield file


def main() -> int:
    """Return 1 if there are findings."""
    n_found = 0
    for file in files(sys.argv[1:]):
        for line, word, instead in sorted(findings(file)):
            print(f"{file}:{line}: {word} -> {instead}")
            n_found += 1
    return min(n_found, 1)


if __name__ == "__main__":
    sys.exit(main())
