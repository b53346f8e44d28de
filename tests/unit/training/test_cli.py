"""The commands in this process: exit codes and what they print."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dgl_signgt.cli import exit_codes
from dgl_signgt.cli.main import main


def _fails(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    return error


def test_errors_exit_with_2(home, node_recipe, capsys):
    Path("r.yaml").write_text(yaml.safe_dump({**node_recipe, "modle": 1}))
    for arguments, message in (
        (["train", "--cfg", "r.yaml"], "unknown key (did you mean 'model'?)"),
        (["train", "--cfg", "none.yaml"], "none.yaml: no such recipe"),
        (["train"], "--cfg RECIPE or --resume FOLDER is needed"),
        (["validate", "r.yaml", "none.yaml"], "none.yaml: no such recipe"),
        (["train", "--resume", "nowhere"], "nowhere/recipe.yaml: no such"),
        (["train", "--cfg", "signgt_cora", "x"], "expected key=value"),
        (["campaign", "r.yaml"], "r.yaml: folder: field required"),
        (["apply", "--cfg", "signgt_cora.yaml"], "No such file"),
        (["frobnicate"], "invalid choice"),
    ):
        assert message in _fails(capsys, *arguments), arguments


def test_train_with_overrides_validate_and_export(home, node_recipe, capsys):
    Path("r.yaml").write_text(yaml.safe_dump(node_recipe))
    main(["validate", "r.yaml", "signgt_cora"])
    assert "r.yaml: valid" in capsys.readouterr().out
    main(["train", "--cfg", "r.yaml", "model.k=2", "general_pipeline.seed=3"])
    out = capsys.readouterr().out
    assert "saved in results/001" in out
    saved = yaml.safe_load(Path("results/001/recipe.yaml").read_text())
    assert saved["model"]["k"] == 2
    assert Path("results/001/seed_3/best.pt").exists()
    main(["train", "--cfg", "r.yaml", "--quiet"])
    assert capsys.readouterr().out == ""
    main(["export", "--cfg", "r.yaml", "--output", "s.py", "model.k=3"])
    assert "'k': 3" in Path("s.py").read_text()


def test_campaign_dry_run_trains_nothing(home, node_recipe, capsys):
    Path("r.yaml").write_text(yaml.safe_dump(node_recipe))
    Path("c.yaml").write_text(
        "folder: out\nentries: [{recipes: [r.yaml], seeds: 2}]"
    )
    main(["campaign", "c.yaml", "--dry-run"])
    assert capsys.readouterr().out.count("to do") == 2
    assert not Path("out").exists()
    main(["campaign", "c.yaml"])
    assert "2 of 2 runs finished, 0 failed" in capsys.readouterr().out


def test_configure_never_overwrites(home, capsys):
    arguments = ["configure", "signgt-nodepred", "--data", "csbm"]
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--cfg", "x.yaml"])
    assert caught.value.code == 0
    before = Path("x.yaml").read_text()
    Path("x.yaml").write_text("mine")
    assert "x.yaml exists" in _fails(capsys, *arguments, "--cfg", "x.yaml")
    assert Path("x.yaml").read_text() == "mine" != before


def test_ctrl_c_exits_with_130():
    with pytest.raises(SystemExit) as caught, exit_codes():
        raise KeyboardInterrupt
    assert caught.value.code == 130
