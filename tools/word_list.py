"""Print words that the project does not use, with the ones to use instead: ``python tools/word_list.py PATH ...``.

A new word is one more row of ``WORDS``: a regular expression, in which a space stands for a line break, too, and what
to say. A place where the word is right is one more row of ``ALLOWED``.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

SUFFIXES = (".cff", ".j2", ".js", ".md", ".py", ".pyi", ".rst", ".toml")
GENERATED = ("_build", "demo", "gallery", "generated")

# "one row a bin" for "one row per bin"
_COUNTED = "(byte|bin|candidate|column|file|folder|fold|job|line|number|record|row|score|second|step|table|one value)s?"
_UNIT = (
    "(bin|block|campaign|candidate|cell|class|code|column|command|data set|feature|fold|group|job|label|method|paper|"
    "partition|record|row|sample|section|seed|set|size|split|step|table|test|worker)"
)

WORDS = (
    (rf"{_COUNTED} (?-i:an?) {_UNIT}", "… per …"),
    (r"(ns|ms|s|KiB|MiB|seconds?) a (row|step|cell|candidate|fit|table)", "… per …"),
    (r"looked for", "positive class"),
    (r"the class asked for", "positive class"),
    (r"share of what is said", "importance"),
    (r"what each column says", "contribution"),
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
    (r"(is|are|was) mute", "skipped because …"),
    (r"mute (rows?|columns?|features?)", "uninformative"),
    (r"says? nothing", "is uninformative, is constant"),
    (r"sp(eaks?|eaking|oke|oken)", "contribute, describe"),
    (r"does not pay for", "gain does not exceed its penalty"),
    (r"one part is best", "a single bin is optimal"),
    (r"wish(es|ed)?", "options"),
    (r"(is|are|be) taken for", "is treated as"),
    (r"(?<!here )(is|are) no (?!better|fewer|larger|less|longer|more|smaller|worse)[a-z]+", "is not a"),
    (r"learnt", "learned"),
)

ALLOWED = (
    ("README.md", r"honest(ly)?"),  # once, as a slogan
    ("README.md", r"bin a column"),  # the verb
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
