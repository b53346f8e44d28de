"""The page and the folder that it tells of."""

import json

import pytest

from dgl_signgt.errors import SignGTError
from dgl_signgt.viz.page import Picture, Section, page, table
from dgl_signgt.viz.run_folder import read_run
from dgl_signgt.viz.style import figure_png, new_figure


def test_page_escapes_what_it_is_given():
    text = page("<b>", "a & b", [Section("<i>", [table(["<"], [["</td>"]])])])
    assert "<b>" not in text and "<i>" not in text
    assert "&lt;/td&gt;" in text and "a &amp; b" in text


def test_pictures_are_inside_with_their_size_and_words():
    figure = new_figure(2, 1)
    png = figure_png(figure, dpi=100)
    html = Section("x", [Picture("n", png, 'a "b"', "c"), "<p>d</p>"]).html()
    assert 'width="200" height="100"' in html
    assert 'alt="a &quot;b&quot;"' in html
    assert html.count("data:image/png;base64,") == 1
    assert html.index("</div>") < html.index("<p>d</p>")


def make_run(folder, scores=(0.5, 0.7)):
    folder.mkdir(parents=True)
    (folder / "recipe.yaml").write_text("data: {name: csbm}\n")
    (folder / "environment.json").write_text("{}")
    for seed, score in enumerate(scores):
        home = folder / f"seed_{seed}"
        home.mkdir()
        row = {"seed": seed, "metric": "accuracy", "test": score, "val": score}
        (home / "result.json").write_text(json.dumps(row))
        (home / "metrics.jsonl").write_text('{"epoch": 1}\n')
    return folder


def test_a_folder_is_read(tmp_path):
    run = read_run(make_run(tmp_path / "csbm" / "001"))
    assert run.mean_and_std() == "60.00% ± 14.14%"
    assert run.best()["seed"] == 1
    assert run.name == "csbm/001"
    assert run.history == [[{"epoch": 1}], [{"epoch": 1}]]


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda f: (f / "recipe.yaml").unlink(), "recipe.yaml: no such file"),
        (lambda f: (f / "recipe.yaml").write_text("{"), "cannot be read"),
        (lambda f: (f / "recipe.yaml").write_text("[]"), "not a mapping"),
        (lambda f: (f / "environment.json").write_text("{"), "cannot be read"),
        (lambda f: (f / "seed_0/result.json").unlink(), "--resume"),
    ],
)
def test_a_damaged_folder_is_one_clear_line(tmp_path, damage, message):
    folder = make_run(tmp_path / "x" / "001", scores=(0.5,))
    damage(folder)
    with pytest.raises(SignGTError, match=message) as caught:
        read_run(folder)
    assert "\n" not in str(caught.value)
