"""Fetching: from a server of our own, whole, broken, wrong and absent."""

import gzip
import io
import lzma
import tarfile
import threading
import time
import urllib.request
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from real_data import REAL_DATA, needs_data

from bayesieve.datasets import download as download_module, load_spect
from bayesieve.datasets.download import cache_folder
from bayesieve.datasets.loading import load_entry
from bayesieve.datasets.manifest import Entry, Subset
from bayesieve.datasets.readers import DeclaredTable, Messages, Sample, fingerprint
from bayesieve.exceptions import DataError, DownloadError

TRAIN, TEST = b"1,2.5,a\n0,?,b\n", b"1,3,b\n"
TABLE = DeclaredTable("class | 0 no | 1 yes\nsize\nkind | a | b", "class")


def entry_of(**parts):
    digests = {name: fingerprint(TABLE.read([content], name)) for name, content in parts.items()}
    listed = {name: Subset((f"tiny.{name}",), digest) for name, digest in digests.items()}
    return Entry("tiny", "A tiny table", "https://example.org/static/tiny.zip", TABLE, listed)


TINY = entry_of(train=TRAIN, test=TEST)


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()


WHOLE = zipped(TINY__tiny_train=TRAIN, tiny_test=TEST, readme="unused")


class Server(ThreadingHTTPServer):
    """Answers each path with (status, body, length that it claims)."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.asked, self.delay = {}, [], 0.0

    def serve_body(self, path, body, status=200, length=None):
        self.answers[path] = (status, body, len(body) if length is None else length)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        time.sleep(self.server.delay)
        status, body, length = self.server.answers.get(self.path, (404, b"nothing here", 12))
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.delenv("BAYESIEVE_DATA", raising=False)
    monkeypatch.setenv("BAYESIEVE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    with Server() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setenv("BAYESIEVE_DATA_URL", f"http://127.0.0.1:{server.server_port}")
        yield server
        server.shutdown()


def test_an_archive_is_fetched_once_and_only_what_is_needed_is_kept(server):
    server.serve_body("/static/tiny.zip", WHOLE)
    bunch = load_entry(TINY, "train", None)
    assert bunch.target.tolist() == [1, 0]
    assert bunch.data["kind"].tolist() == ["a", "b"]
    assert load_entry(TINY, "all", None).target.tolist() == [1, 0, 1]
    assert server.asked == ["/static/tiny.zip"]
    assert sorted(path.name for path in (cache_folder() / "tiny").iterdir()) == ["tiny.test", "tiny.train"]


def test_a_named_home_keeps_the_download(server, tmp_path):
    server.serve_body("/static/tiny.zip", WHOLE)
    load_entry(TINY, "train", tmp_path / "home")
    assert (tmp_path / "home" / "tiny" / "tiny.train").read_bytes() == TRAIN
    assert not cache_folder().exists()


def test_an_archive_may_lack_parts_that_nobody_asked_for(server):
    server.serve_body("/static/tiny.zip", zipped(tiny_train=TRAIN))
    assert len(load_entry(TINY, "train", None).target) == 2
    with pytest.raises(DownloadError, match=r"does not hold tiny\.test; its layout may have changed"):
        load_entry(TINY, "test", None)


def test_files_are_looked_for_in_order_plain_or_compressed(server, tmp_path, monkeypatch):
    for home, name, content in [
        ("first", "tiny.train.gz", gzip.compress(TRAIN)),
        ("second", "tiny.train", b"overlooked"),
        ("second", "tiny.test.xz", lzma.compress(TEST)),
    ]:
        (tmp_path / home / "tiny").mkdir(parents=True, exist_ok=True)
        (tmp_path / home / "tiny" / name).write_bytes(content)
    monkeypatch.setenv("BAYESIEVE_DATA", str(tmp_path / "second"))
    assert load_entry(TINY, "all", tmp_path / "first").target.tolist() == [1, 0, 1]
    assert server.asked == []


def test_one_compressed_file_keeps_its_suffix(server):
    archive, reader = io.BytesIO(), Messages("mail", ("x.a", "x.b"))
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path, text in [("mail-train/x.b/10", b"late"), ("mail-train/x.b/9", b"caf\xe9"), ("mail-test/x.a/1", b"t")]:
            member = tarfile.TarInfo(path)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    expected = Sample(["café", "late"], np.array([1, 1]))
    part = Subset(("mail.tar",), fingerprint(expected))
    entry = Entry("mail", "Mail", "http://example.org/mail.tar.gz", reader, {"train": part})
    server.serve_body("/mail.tar.gz", gzip.compress(archive.getvalue()))
    assert load_entry(entry, "train", None).data == expected.data
    assert (cache_folder() / "mail" / "mail.tar.gz").exists()


def refused(error, match, entry=TINY):
    with pytest.raises(error, match=match) as raised:
        load_entry(entry, "train", None)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_absent_on_the_server(server):
    message = refused(DownloadError, r"tiny\.zip could not be downloaded \(the server answered 404")
    assert "set BAYESIEVE_DATA to a folder that holds tiny/tiny.train" in message


def test_a_body_that_breaks_off(server):
    server.serve_body("/static/tiny.zip", WHOLE[:100], length=len(WHOLE))
    message = refused(DownloadError, "the connection broke after 100 bytes")
    assert "BAYESIEVE_DATA" in message
    assert not (cache_folder() / "tiny").exists()


def test_a_body_that_is_no_archive(server):
    for body in [b"<html>Please log in</html>", WHOLE[:-30], b""]:
        server.serve_body("/static/tiny.zip", body)
        refused(DownloadError, "is not a complete zip archive")
    assert not (cache_folder() / "tiny").exists()


def test_a_body_or_member_without_end(server, monkeypatch):
    server.serve_body("/static/tiny.zip", zipped(tiny_train=TRAIN * 1000, tiny_test=TEST))
    monkeypatch.setattr(download_module, "_MOST_BYTES", 1000)
    refused(DownloadError, r"tiny\.train has more than 1000 bytes")
    monkeypatch.setattr(download_module, "_MOST_BYTES", 100)
    refused(DownloadError, r"it has more than 100 bytes")


def test_only_https_is_downloaded(server, monkeypatch):
    url = f"http://127.0.0.1:{server.server_port}/static/tiny.zip"
    monkeypatch.delenv("BAYESIEVE_DATA_URL")
    refused(DownloadError, "only https is downloaded", replace(TINY, url=url))
    request = urllib.request.Request("https://example.org/tiny.zip")
    with pytest.raises(ValueError, match="only https"):  # nor where an encrypted address leads
        download_module._Redirects().redirect_request(request, None, 302, "Found", {}, url)


def test_a_file_that_cannot_be_renamed_leaves_nothing(server, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(download_module.os, "replace", full)
    server.serve_body("/static/tiny.zip", WHOLE)
    refused(DownloadError, "cannot be saved in .*No space left on device")
    assert list((cache_folder() / "tiny").iterdir()) == []


def test_other_content_is_noticed(server):
    server.serve_body("/static/tiny.zip", zipped(tiny_train=TRAIN.replace(b"2.5", b"2.6")))
    message = refused(DataError, "tiny: the content of .* differs from the published data set")
    assert str(cache_folder() / "tiny" / "tiny.train") in message
    (cache_folder() / "tiny" / "tiny.train").write_bytes(b"<html>")
    refused(DataError, "tiny: .* cannot be read as that data set")


def test_a_cut_compressed_copy_is_noticed(server, tmp_path, monkeypatch):
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "tiny.train.xz").write_bytes(lzma.compress(TRAIN)[:-4])
    monkeypatch.setenv("BAYESIEVE_DATA", str(tmp_path))
    refused(DataError, r"tiny\.train\.xz cannot be decompressed")


def test_no_network(server, monkeypatch):
    monkeypatch.setenv("BAYESIEVE_DATA_URL", "http://127.0.0.1:9")
    assert "BAYESIEVE_DATA" in refused(DownloadError, "could not be downloaded")


def test_a_silent_server(server, monkeypatch):
    monkeypatch.setattr(download_module, "_TIMEOUT", 0.1)
    server.delay = 0.5
    assert "BAYESIEVE_DATA" in refused(DownloadError, r"could not be downloaded \(timed out\)")


def test_a_cache_that_cannot_be_written(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("BAYESIEVE_CACHE", str(tmp_path / "file"))
    server.serve_body("/static/tiny.zip", WHOLE)
    refused(DownloadError, "cannot be saved in .* set another folder with data_home or BAYESIEVE_CACHE")


def test_the_cache_is_where_the_platform_keeps_such_things(monkeypatch):
    monkeypatch.delenv("BAYESIEVE_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache_folder() == Path("/elsewhere/bayesieve")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "bayesieve"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "bayesieve"


def test_the_fingerprint_sees_every_value():
    data, target = np.array([[1.0, np.nan], [0.0, 3.0]]), np.array([0, 1])
    same = Sample(np.array([[1.0, -np.nan], [-0.0, 3.0]], order="F"), target.astype(np.int8))
    assert fingerprint(same) == fingerprint(Sample(data, target))
    others = [
        Sample(data.reshape(1, 4), target),
        Sample(data + 1, target),
        Sample(data, None),
        Sample(data, target + 1),
    ]
    assert len({fingerprint(sample) for sample in [same, *others]}) == 5


@needs_data
def test_a_published_set_comes_through_an_archive(server):
    folder = REAL_DATA / "spect"
    body = zipped(SPECT_train=(folder / "SPECT.train").read_bytes(), SPECT_test=(folder / "SPECT.test").read_bytes())
    server.serve_body("/static/public/95/spect+heart.zip", body)
    assert load_spect("all").data.shape == (267, 22)
    assert server.asked == ["/static/public/95/spect+heart.zip"]
