"""``python -m dgl_signgt data``."""

import json

import pytest
from archives import write_zip
from typer.testing import CliRunner

from dgl_signgt.cli.data import data_app, main


def run(*arguments):
    return CliRunner().invoke(data_app, [*arguments])


def test_list(root, tu_files):
    write_zip(root / "FRANKENSTEIN.zip", tu_files)
    (root / "NCI1.zip").write_bytes(b"half")
    done = run("list", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert done.exit_code == 0
    assert rows["nci5k"]["state"] == "built in"
    assert rows["frankenstein"]["state"] == "here"
    assert rows["nci1"]["state"] == "damaged"
    assert rows["cora"]["state"] == "to download"
    assert run("prepare", "frankenstein", "--k", "1").exit_code == 0
    rows = {r["name"]: r for r in json.loads(run("list", "--json").stdout)}
    assert rows["frankenstein"]["state"] == "cached"
    text = run("list").stdout
    assert "to download, 0.1 MB" in text
    assert len(text.splitlines()) == 1 + len(rows)


def test_info_marks_every_difference(root, tu_files):
    write_zip(root / "FRANKENSTEIN.zip", tu_files)
    text = run("info", "frankenstein").stdout
    lines = {line[:12].strip(): line for line in text.splitlines()}
    assert lines["graphs"].split() == ["graphs", "2", "4,337", "!="]
    assert lines["avg nodes"].split() == ["avg", "nodes", "2.50", "16.90", "!="]
    assert lines["classes"].split() == ["classes", "2", "2"]
    assert lines["labels"].split(maxsplit=1)[1] == "0: 1, 1: 1"
    assert lines["degree"].split(maxsplit=1)[1] == "1 to 2, mean 1.6"


def test_info_with_options():
    done = run("info", "csbm", "-o", "homophily=0.75", "--json")
    stats = json.loads(done.stdout)
    assert stats["homophily"] == 0.75
    assert stats["nodes"] == 1000
    assert "unreadable   6 molecules" in run("info", "nci5k").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["info", "nci"], "error: unknown data set 'nci'"),
        (["info", "csbm", "-o", "seed"], "is not of the form key=value"),
        (["info", "csbm", "-o", "seed=x"], "must be of type int, got 'x'"),
        (["info", "csbm", "-o", "sed=1"], "did you mean 'seed'"),
        (["prepare", "csbm", "nope"], "error: unknown data set 'nope'"),
    ],
)
def test_errors_are_one_line_and_two(arguments, said):
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_main_is_what_the_command_calls(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["info", "csbm"])
    assert stop.value.code == 0
    assert "homophily" in capsys.readouterr().out
