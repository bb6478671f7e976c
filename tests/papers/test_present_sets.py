"""Data sets that are absent are named and passed over; unknown names are refused."""

import pytest

from bayesieve.exceptions import DataError, DownloadError, ParameterError
from bayesieve.papers.paper_000 import campaign
from bayesieve.papers.present_sets import check_names, present_sets


def absent(kind):
    def load(*subset):
        raise kind("the file cannot be found.")

    return load


def test_absent_sets_are_named():
    loaders = {"a": dict, "b": absent(DownloadError), "c": absent(DataError)}
    names, notes = present_sets(loaders)
    assert names == ["a"]
    assert notes[0] == "The data set b is passed over: the file cannot be found."
    assert len(notes) == 2
    with pytest.raises(ParameterError, match="no data set 'd'; choose from a, b, c"):
        check_names(["a", "d"], loaders)


def test_kdd98_is_downloaded_or_named(monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESIEVE_DATA", str(tmp_path))
    monkeypatch.setattr(campaign, "load_kdd98", absent(DownloadError))
    assert campaign.missing_real_files(download=True).endswith("BAYESIEVE_DATA. the file cannot be found.")
    monkeypatch.setattr(campaign, "load_kdd98", lambda subset: None)
    assert campaign.missing_real_files(download=True) is None
    assert "are not in BAYESIEVE_DATA" in campaign.missing_real_files(download=False)
