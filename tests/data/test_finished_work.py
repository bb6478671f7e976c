"""Finished work on disk: what was written is read, and what an interruption left is dropped."""

import json
import os

import pytest

from bayesieve.data import FinishedWork
from bayesieve.exceptions import DataError, OutputError

ONE, TWO = {"job": 1, "score": 0.1}, {"job": 2, "score": float("inf")}


@pytest.fixture
def path(tmp_path):
    file = FinishedWork(tmp_path / "work.jsonl", "journal")
    assert file.documents() == []
    file.add(ONE)
    file.add(TWO)
    return file.path


def test_documents_are_read_as_they_were_written(path):
    assert FinishedWork(path, "journal").documents() == [ONE, TWO]


@pytest.mark.parametrize("n_bytes", [1, 2, 30])
def test_a_line_that_was_cut_off_is_written_again(path, n_bytes):
    path.write_bytes(path.read_bytes()[:-n_bytes])
    file = FinishedWork(path, "journal")
    expected = [ONE, TWO] if n_bytes == 1 else [ONE]  # only the line feed is missing, or the document is
    assert file.documents() == expected
    file.add(TWO)
    assert FinishedWork(path, "journal").documents() == [*expected, TWO]


def test_an_edited_line_is_no_document(path):
    path.write_text(path.read_text().replace("0.1", "0.2"))
    assert FinishedWork(path, "journal").documents() == [None, TWO]


def test_a_document_takes_the_place_of_another(tmp_path):
    file = FinishedWork(tmp_path / "c.json", "checkpoint")
    for document in (ONE, TWO):
        file.replace(document, keep_previous=True)
    assert file.documents() == [TWO]
    assert json.loads((tmp_path / "c.json.previous").read_text())["job"] == 1
    file.replace(ONE)
    assert sorted(os.listdir(tmp_path)) == ["c.json", "c.json.previous"]


def test_messages_name_the_file_and_the_reason(tmp_path):
    file = FinishedWork(tmp_path, "journal")
    with pytest.raises(DataError, match=r"^The journal '.*' cannot be read: Is a directory\.$"):
        file.documents()
    for write in (file.add, file.replace):
        with pytest.raises(OutputError, match=r"^The journal '.*' cannot be written: Is a directory\.$"):
            write(ONE)
