"""Files of all kinds, whole and broken, and what becomes of their columns."""

import bz2
import contextlib
import csv
import gzip
import io
import lzma
import os
import re
import subprocess
import sys
import zlib
from datetime import UTC, date, datetime, time, timedelta

import polars as pl
import pytest
import xlsxwriter
from draws import draws
from hypothesis import HealthCheck, example, given, settings, strategies as st

from bayesieve.data import FileOptions, read_bytes, read_file, read_file_table, read_table
from bayesieve.data.frames import without_panic_traces
from bayesieve.exceptions import DataError, DecimalGuessWarning, EncodingGuessWarning, ParameterError


@pytest.fixture
def write(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def types(frame):
    return {name: str(dtype) for name, dtype in frame.schema.items()}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separator_is_found_in_the_header_outside_quotes(write, separator):
    others = "".join({",", ";", "\t", "|"} - {separator})
    frame = read_file(write(f'"a{others * 3}"{separator}b\n1{separator}x\n'))
    assert frame.columns == [f"a{others * 3}".strip(), "b"]
    assert frame.rows() == [(1, "x")]


def test_files_that_end_early_or_are_no_files_are_refused(write, tmp_path):
    with pytest.raises(DataError, match=r"begins as UTF-16 but ends early .*; the file seems truncated"):
        read_file(write("a,b\n1,x\n".encode("utf-16")[:-1]))
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read_bytes(tmp_path)


def test_what_a_reader_writes_to_the_error_stream_is_kept_unless_it_fails(capfd):
    with without_panic_traces():
        os.write(2, b"a note")
    assert capfd.readouterr().err == "a note"
    with contextlib.suppress(ZeroDivisionError), without_panic_traces():
        os.write(2, b"a stack trace")
        raise ZeroDivisionError
    assert capfd.readouterr().err == ""


def test_one_column_needs_no_separator(write):
    assert read_file(write("a\n1\n2\n")).rows() == [(1,), (2,)]


def test_quoted_values_hold_newlines_quotes_and_separators(write):
    frame = read_file(write('name,"the\nnote"\n"a, b","he read ""no""\nand left"\nplain,5" disk\n'))
    assert frame.columns == ["name", "the\nnote"]
    assert frame.rows() == [("a, b", 'he read "no"\nand left'), ("plain", '5" disk')]


def test_line_ends_blank_lines_and_blanks_around_values_do_not_matter(write):
    plain = read_file(write("a,b\n1,x\n2,y\n"))
    for text in ["a,b\r\n1,x\r\n2,y", "a,b\r1,x\r2,y\r", "\n\na , b\n\n 1,x\n \n2 , y \n\n", 'a, "b"\n1, "x"\n2,y\n']:
        assert read_file(write(text)).equals(plain), text


@pytest.mark.parametrize("encode", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_with_and_without_a_mark(write, encode):
    assert read_file(write("größe,b\n1,Ñ\n".encode(encode))).to_dict(as_series=False) == {"größe": [1], "b": ["Ñ"]}


def test_what_is_not_unicode_is_read_as_windows_1252_and_said(write):
    with pytest.warns(EncodingGuessWarning, match=r"table\.csv is not UTF-8 \(byte 0xF6 in line 2\).* Windows-1252"):
        frame = read_file(write("a,b\n1,größe – 5 €\n".encode("cp1252")))
    assert frame["b"].to_list() == ["größe – 5 €"]


def test_bytes_without_a_letter_in_windows_1252_are_read_as_latin_1(write):
    with pytest.warns(EncodingGuessWarning, match="read as latin-1"):
        frame = read_file(write(b"a,b\n1,\x81\xf6\n"))
    assert frame["b"].to_list() == ["\x81ö"]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]
)
@pytest.mark.parametrize("name", ["table.csv", "TABLE.TSV", "a.b.txt"])
def test_compressed_text(write, suffix, compress, name):
    assert read_file(write(compress(b"a,b\n1,2\n"), name + suffix)).rows() == [(1, 2)]


def test_missing_markers(write):
    text = "a,b\n1,x\n,\nNA,N/A\nNaN,null\n?,.\n2,-\n"
    frame = read_file(write(text))
    assert frame.to_dict(as_series=False) == {"a": [1, *[None] * 4, 2], "b": ["x", *[None] * 4, "-"]}
    assert read_file(write("a,b\n1,NA\n,?\n"), missing=None).rows() == [(1, "NA"), (None, "?")]
    frame = read_file(write(text), missing="-")
    assert frame["a"].to_list() == ["1", None, "NA", "NaN", "?", "2"]
    assert frame["b"].to_list()[-1] is None


def test_types_come_from_all_rows(write):
    rows = [f"{i},{i},{i},{i},2020-01-01" for i in range(2000)] + ["1.5,x,-3,01,2020-01-02"]
    frame = read_file(write("\n".join(["half,late,whole,zip,day", *rows])))
    assert types(frame) == {"half": "Float64", "late": "String", "whole": "Int64", "zip": "String", "day": "Date"}
    assert frame["zip"][-1] == "01"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "+5", "-2"], [1, 5, -2]),
        (["1.", ".5", "1e5", "-1E+3"], [1.0, 0.5, 1e5, -1e3]),
        (["0", "0.5", "-0.25"], [0.0, 0.5, -0.25]),
        (["007", "1"], ["007", "1"]),
        (["-01.5", "1"], ["-01.5", "1"]),
        (["0x10", "1"], ["0x10", "1"]),
        (["1_000", "1"], ["1_000", "1"]),
        (["1,5", "2,5"], ["1,5", "2,5"]),
        (["true", "false"], ["true", "false"]),
        (["12345678901234567890", "1"], [12345678901234567890.0, 1.0]),
        (["2020-01-02", "1999-12-31"], [date(2020, 1, 2), date(1999, 12, 31)]),
        (["2020/1/2", "1999/12/31"], [date(2020, 1, 2), date(1999, 12, 31)]),
        (["2.1.2020", "31.12.1999"], [date(2020, 1, 2), date(1999, 12, 31)]),
        (["2020-01-02", "2020-13-01"], ["2020-01-02", "2020-13-01"]),
        (["02/01/2020", "31/12/1999"], [date(2020, 1, 2), date(1999, 12, 31)]),
        (["1-2-2020 3:04", "12-31-1999 23:59"], [datetime(2020, 1, 2, 3, 4), datetime(1999, 12, 31, 23, 59)]),
        (["12%", "3.5 %", "?"], [12.0, 3.5, None]),
        (["12%", "x"], ["12%", "x"]),
        (["$1,234.50", "$2", "-$3"], [1234.5, 2.0, -3.0]),
        (["1234 EUR", "5.5€"], [1234.0, 5.5]),
        (["1,234", "12", "-1,234,567.5"], [1234.0, 12.0, -1234567.5]),
        (["1 234", "1 234 567"], [1234.0, 1234567.0]),
        (["1,23", "1,234"], ["1,23", "1,234"]),
        (["012%", "5%"], ["012%", "5%"]),
        (["01/02/2020", "03/04/2020"], ["01/02/2020", "03/04/2020"]),
        (["2020-01-02 03:04", "2020-01-02 23:59"], [datetime(2020, 1, 2, 3, 4), datetime(2020, 1, 2, 23, 59)]),
        (["2020-01-02T03:04:05", "2020-01-02T03:04:05.5"], [datetime(2020, 1, 2, 3, 4, 5, us) for us in (0, 500000)]),
        (
            ["2020-01-02T03:04:05Z", "2020-01-02T03:04:05+01:00"],
            [datetime(2020, 1, 2, h, 4, 5, 0, UTC) for h in (3, 2)],
        ),
        (["2020-01-02 03:04:05Z"], [datetime(2020, 1, 2, 3, 4, 5, 0, UTC)]),
        (["3:04", "23:59"], [time(3, 4), time(23, 59)]),
        (["?", ""], [None, None]),
    ],
)
def test_a_column_of_values(write, values, expected):
    text = "n|v\n" + "".join(f"{i}|{value}\n" for i, value in enumerate(values))
    found = read_file(write(text))["v"].to_list()
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


def test_dates_are_ordered_columns(write):
    text = "day,at,zone,clock,zip\n2020-01-02,2020-01-02 03:04,2020-01-02T03:04:05Z,03:04,01234\n,,,,\n"
    table = read_table(read_file(write(text)))
    assert [column.ordered for column in table] == [True, True, True, True, False]
    assert table.column(0).labels.tolist() == [datetime(2020, 1, 2, tzinfo=UTC).timestamp() * 1e6]
    assert table.column(2).labels.tolist() == [datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp() * 1e6]


def test_a_comma_is_the_decimal_mark_between_semicolons(write):
    text = "price;mixed;sum;zip\n1,5;1,5;1,000,000;0,5\n-2;1.5;2;00,5\n?;1;3;1\n"
    frame = read_file(write(text))
    assert types(frame) == {"price": "Float64", "mixed": "String", "sum": "String", "zip": "String"}
    assert frame["price"].to_list() == [1.5, -2.0, None]
    assert read_file(write(text), types={"zip": "numeric"})["zip"].to_list() == [0.5, 0.5, 1.0]
    with pytest.raises(DataError, match=r"the column 'sum' must be numeric, but its row 1 holds '1,000,000'"):
        read_file(write(text), types={"sum": "numeric"})


def test_a_decimal_comma_with_thousands_and_signs(write):
    text = "a;b;c\n1.234,5;12,5 %;3,50 €\n7;3%;1.200,00 €\n"
    assert read_file(write(text)).rows() == [(1234.5, 12.5, 3.5), (7.0, 3.0, 1200.0)]


def test_a_separator_that_is_given(write):
    path = write("a,b c,d\n1,5 2,5\n")
    assert read_file(path, separator=" ", decimal=",").to_dict(as_series=False) == {"a,b": [1.5], "c,d": [2.5]}
    assert read_file(write("a~b;c\n1~x;y\n"), separator="~").rows() == [(1, "x;y")]


@pytest.mark.parametrize(
    ("values", "decimal", "expected"),
    [
        (["1,5", "2"], ",", [1.5, 2.0]),
        (["1,5", "2"], ".", ["1,5", "2"]),
        (["1.234", "12"], ",", [1234, 12]),  # points separate thousands
        (["1.234", "12"], None, [1.234, 12]),
        (["1.5", "2"], ",", [1.5, 2.0]),  # which cannot be thousands
        (["1,234", "12"], ".", [1234, 12]),
        (["1.234,5", None, "2"], ",", [1234.5, None, 2.0]),
    ],
)
def test_a_decimal_mark_that_is_given(write, values, decimal, expected):
    text = "\n".join(f"{'' if value is None else value};x" for value in values)
    assert read_file(write(f"v;w\n{text}\n"), decimal=decimal)["v"].to_list() == expected


def test_a_sheet_by_name_or_number(tmp_path):
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name in ("first", "7"):
            pl.DataFrame({"a": [name]}).write_excel(book, worksheet=name)
    for sheet, name in ((None, "first"), ("first", "first"), (1, "first"), ("2", "7"), ("7", "7")):
        assert str(read_file(path, sheet=sheet)["a"][0]) == name
    with pytest.raises(ParameterError, match=r"no sheet 'third'; the sheets are 'first' \(1\), '7' \(2\)\."):
        read_file(path, sheet="third")


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("t.csv", {"separator": "::"}, r"separator \(--sep\) must be one character, got '::'"),
        ("t.csv", {"separator": "~"}, "does not contain the separator '~'"),
        ("t.csv", {"decimal": "'"}, "must be a point or a comma"),
        ("t.csv", {"sheet": 2}, "for spreadsheets; .* is a .csv file"),
        ("t.jsonl", {"separator": ";"}, "for delimited text such as CSV; .* is a .jsonl file"),
        ("t.jsonl", {"decimal": ","}, "is a .jsonl file"),
        ("t.jsonl", {"missing": ["none"]}, "got 'none'; .* is a .jsonl file"),
    ],
)
def test_options_that_have_no_meaning_are_refused(write, name, options, words):
    with pytest.raises((ParameterError, DataError), match=words):
        read_file(write('{"a": 1}\n' if name.endswith("l") else "a,b\n1,2\n", name), **options)


def test_conversions_are_told(write):
    table = read_file_table(write("p,d,n\n12%,31/12/2020,1\n3%,01/02/2020,2\n"))
    assert table.conversions == {
        "p": "percentages: 12% is read as 12",
        "d": "dates: 31/12/2020 is read as 2020-12-31",
    }


def test_cells_that_are_not_numbers_become_missing_on_request(write):
    path = write("a,b,c\n" + "".join(f"{i},{i % 3 or 'x'},w{i}\n" for i in range(19)) + "error,1,w\n")
    assert types(read_file(path)) == dict.fromkeys("abc", "String")
    table = read_file_table(path, FileOptions(coerce=True))
    assert types(table.frame) == {"a": "Float64", "b": "String", "c": "String"}
    assert table.frame["a"].to_list() == [*range(19), None]
    assert table.conversions == {"a": "numbers; 1 other cell became missing: 'error'"}
    assert read_file(path, coerce=True, types={"b": "numeric"})["b"].null_count() == 7
    with pytest.raises(DataError, match=r"'a' must be numeric, but its row 20 holds 'error'; coerce"):
        read_file(path, types={"a": "numeric"})


@pytest.mark.parametrize("suffix", [".feather", ".jsonl", ".xlsx"])
def test_other_formats(write, tmp_path, suffix):
    frame = pl.DataFrame({"n": [1, 2, None], "word": ["a", "b", None], "zip": ["01", "02", "03"]})
    path = tmp_path / f"table{suffix}"
    {".feather": frame.write_ipc, ".jsonl": frame.write_ndjson}.get(suffix, frame.write_excel)(path)
    assert read_file(path).equals(frame)
    assert read_file(path, types={"zip": "numeric"})["zip"].to_list() == [1, 2, 3]
    for broken in (path.read_bytes()[:50], b"a,b\n1,2\n"):
        with pytest.raises(
            DataError, match=rf"broken\{suffix} (cannot be read as|does not begin as|does not end|has .* no rows)"
        ):
            read_file(write(broken, f"broken{suffix}"))


@pytest.mark.parametrize("suffix", [".feather", ".jsonl", ".parquet"])
def test_text_of_files_with_types_is_converted_on_request_only(tmp_path, suffix):
    numbers = [*map(str, range(19)), "error"]
    frame = pl.DataFrame({"n": numbers, "m": numbers, "word": [f"w{i}" for i in range(20)], "x": range(20)})
    path = tmp_path / f"table{suffix}"
    {".feather": frame.write_ipc, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[suffix](path)
    assert read_file(path).equals(frame)
    coerced = read_file(path, coerce=True, types={"m": "categorical"})
    assert coerced["n"].to_list() == [*range(19), None]
    assert coerced.drop("n").equals(frame.drop("n"))


def test_a_spreadsheet_without_its_reader_names_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "t.xlsx"
    pl.DataFrame({"a": [1]}).write_excel(path)
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(DataError, match=r"needs fastexcel, which is missing: pip install 'bayesieve\[excel\]'"):
        read_file(path)


def test_text_of_a_spreadsheet_is_typed(tmp_path):
    path = tmp_path / "t.xlsx"
    pl.DataFrame({"p": ["12%", "3%", "NA"], "n": ["1", "2", "?"]}).write_excel(path)
    assert read_file(path).rows() == [(12.0, 1), (3.0, 2), (None, None)]


def test_values_that_are_lists_are_refused(write):
    with pytest.raises(DataError, match="each value of the column 'a' is a list or a record"):
        read_file(write('{"a": [1, 2]}\n', "t.jsonl"))


def test_standard_input_is_recognized(monkeypatch):
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    binary, text = io.BytesIO(), frame.write_csv().encode()
    frame.write_parquet(binary)
    arff = b"% note\n@relation r\n@attribute a integer\n@attribute b string\n@data\n1,x\n2,y\n"
    for content in (text, gzip.compress(text), binary.getvalue(), frame.write_ndjson().encode(), arff):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_file("-").equals(frame)
        assert read_file("-", types={"a": "categorical"})["a"].to_list() == ["1", "2"]  # and read again


def test_types_override(write):
    path = write("zip,n,word\n01234,1,x\n98765,2,y\n")
    frame = read_file(path, types={"zip": "numeric", "n": "categorical"})
    assert frame.to_dict(as_series=False) == {"zip": [1234, 98765], "n": ["1", "2"], "word": ["x", "y"]}
    with pytest.raises(DataError, match=r"the column 'word' must be numeric, but its row 1 holds 'x'"):
        read_file(path, types={"word": "numeric"})
    with pytest.raises(ParameterError, match=r"'zp', which the table does not have; did you mean 'zip'"):
        read_file(path, types={"zp": "numeric"})
    with pytest.raises(ParameterError, match=r"types\['zip'\] must be 'numeric' or 'categorical', got 'text'"):
        read_file(path, types={"zip": "text"})


FAULTS = {
    "empty": ("", "table.csv is empty"),
    "blank": (" \n\n", "table.csv is empty"),
    "header only": ("a,b\n", "has a header of 2 columns but no rows"),
    "repeated name": ("a,b,a\n1,2,3\n", "the header names the column 'a' more than once"),
    "empty name": (",b\n1,2\n", "column 1 of 2 has no name in the header"),
    "trailing separator": ("a,b,\n1,2,\n", "column 3 of 3 has no name"),
    "long line": ("a,b\n1,2\n1,2,3\n4,5\n", "line 3 has 3 values where the header names 2 columns."),
    "short line": ("a,b\n1,2\n1\n4,5\n", "line 3 has 1 value where the header names 2 columns."),
    "cut line": (
        "a,b,c\n1,2,3\n4,5\n",
        "line 3 has 2 values where the header names 3 columns; the file",
    ),
    "long line after a quoted newline": ('a,b\n"x\ny",2\n1,2,3\n', "line 4 has 3 values"),
    "unclosed quote": ('a,b\n1,2\n3,"x\n4,5\n', "a quoted value that begins in line 3 does not end"),
    "unclosed quote in the header": ('a,"b\n1,2\n', "a quoted value that begins in line 1 does not end"),
    # Which of two sentences depends on csv.field_size_limit, which other libraries change.
    "endless quote": ('a,b\n1,"x\n' + "4,5\n" * 50000, "value that begins in line 2"),
    "text after a quote": ('a,b\n1,"x"y\n', "line 2 has text after a closing quote"),
    "zero bytes": ("a,b\n1,\0\n", "holds zero bytes, so it is not a text file"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_file_is_refused_in_one_sentence(write, fault):
    text, message = FAULTS[fault]
    with pytest.raises(DataError, match=re.escape(message)) as raised:
        read_file(write(text))
    assert "table.csv" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_path_that_is_no_table(tmp_path, write):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=r"folder\.csv is a folder"):
        read_file(tmp_path / "folder.csv")
    with pytest.raises(DataError, match=r"absent\.csv does not exist"):
        read_file(tmp_path / "absent.csv")
    for name in ["table", "table.zip", "table.parquet.gz", "table.xlsx.gz", ".csv"]:
        with pytest.raises(DataError, match=r"unsupported file type .* supported are \.csv, \.tsv, \.txt, \.xlsx"):
            read_file(write("a,b\n1,2\n", name))


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]
)
def test_a_cut_compressed_file(write, suffix, compress):
    whole = compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, zlib.crc32(b"%d" % i)) for i in range(500)))
    for content in [whole[: len(whole) // 2], whole[:-3], b"a,b\n1,2\n", b""]:
        with pytest.raises(DataError, match=r"table\.csv.* (cannot be decompressed|is empty)"):
            read_file(write(content, "table.csv" + suffix))


@pytest.fixture
def parquet():
    buffer = io.BytesIO()
    frame = pl.DataFrame({"zip": ["01234", None], "n": [1, 2], "day": [date(2020, 1, 2), None], "mark": ["?", "1"]})
    frame.write_parquet(buffer)
    return frame, buffer.getvalue()


def test_parquet_keeps_its_types(write, parquet):
    frame, content = parquet
    path = write(content, "table.parquet")
    assert read_file(path).equals(frame)
    changed = read_file(path, types={"zip": "numeric", "n": "categorical"})
    assert changed.drop("day", "mark").rows() == [(1234, "1"), (None, "2")]


def test_broken_parquet(write, parquet):
    _, content = parquet
    faults = {
        b"": "is empty",
        b"a,b\n1,2\n": "does not begin with PAR1",
        content[: len(content) // 2]: "the file seems truncated",
        content[: len(content) // 2] + b"PAR1": "cannot be read as Parquet",
        content[:20] + bytes(len(content) - 40) + content[-20:]: "cannot be read as Parquet",
    }
    for broken, message in faults.items():
        with pytest.raises(DataError, match=message):
            read_file(write(broken, "table.parquet"))
    buffer = io.BytesIO()
    pl.DataFrame({"a": pl.Series([], dtype=pl.Int64)}).write_parquet(buffer)
    with pytest.raises(DataError, match="has 1 columns but no rows"):
        read_file(write(buffer.getvalue(), "table.parquet"))


def _readings(values, separator):
    """Numbers that a column may hold: 1,019 and 1 019 have thousands separators; between semicolons, 0,1 is a tenth."""
    patterns = ["[, ]", " "] if separator == ";" else ["[, ]"]
    readings = []
    for thousands in patterns:
        with contextlib.suppress(ValueError):
            readings.append(
                [None if value is None else float(re.sub(thousands, "", value).replace(",", ".")) for value in values]
            )
    return readings


@settings(max_examples=draws(40, 100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(rows=[("", "", ",1")], separator=";")
@example(rows=[("", "1,019", "1 019")], separator="|")
@given(
    rows=st.lists(st.tuples(*[st.text(st.sampled_from('ab",;|\t\n 019.-é'), max_size=6)] * 3), min_size=1, max_size=8),
    separator=st.sampled_from(",;\t|"),
)
def test_what_python_writes_is_read_back(write, rows, separator):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows([("u", "v", "w"), *rows])
    path = write(text.getvalue())
    expected = [tuple(value.strip() or None for value in row) for row in rows]
    forced = read_file(path, missing=(), types=dict.fromkeys("uvw", "categorical"))
    assert forced.rows() == expected
    for found, wanted in zip(read_file(path, missing=()).iter_columns(), zip(*expected, strict=True), strict=True):
        if found.dtype.is_numeric():
            assert found.to_list() in _readings(wanted, separator)
        elif found.dtype == pl.String:
            assert found.to_list() == list(wanted)


def test_without_polars_the_message_says_how_to_get_it(write):
    program = """
import sys
sys.modules["polars"] = None
from bayesieve.data import read_file
try:
    read_file(sys.argv[1])
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, write("a,b\n1,2\n")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "Reading CSV needs polars, which is missing: pip install 'bayesieve[cli]'.\n"


def test_cells_of_a_spreadsheet_without_a_day_are_times_of_day(tmp_path):
    times = [time(8, 30), None, time(0), time(23, 59, 59)]
    frame = pl.DataFrame({"at": times, "moment": [datetime(2020, 1, 1, 8, 30)] * 4})
    frame.write_excel(tmp_path / "t.xlsx")
    table = read_file(tmp_path / "t.xlsx")
    assert table["at"].to_list() == times
    assert types(table)["moment"].startswith("Datetime")


def test_dates_and_times_of_json_lines_are_read_as_in_csv(tmp_path):
    frame = pl.DataFrame({"day": [date(2020, 1, 31), None], "at": [time(8, 30), time(9)], "zip": ["01234", "2020"]})
    frame.write_ndjson(tmp_path / "t.jsonl")
    assert read_file(tmp_path / "t.jsonl").equals(frame)
    assert read_file(tmp_path / "t.jsonl", types={"day": "categorical"})["day"].to_list() == ["2020-01-31", None]


def test_commas_that_may_separate_thousands_are_told(write):
    path = write("a;b;c\n1,234;1,5;1,234\n999;1,234;0,123\n")
    with pytest.warns(DecimalGuessWarning, match=r"column 'a' stands before three digits, as in 1,234, .* 1\.234; if"):
        table = read_file(path)
    assert table.to_dict(as_series=False) == {"a": [1.234, 999.0], "b": [1.5, 1.234], "c": [1.234, 0.123]}
    assert read_file(path, decimal=".")["a"].to_list() == [1234, 999]


def test_durations_are_no_categories(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [timedelta(1)]}).write_parquet(path)
    with pytest.raises(DataError, match="'a' must be categorical, but it holds durations"):
        read_file(path, types={"a": "categorical"})
