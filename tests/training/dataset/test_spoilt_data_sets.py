"""Data sets that were tampered with, cut off, or hold unusual text: read as they are, or refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.dataset import _least
from osler.cli.main import app
from osler.errors import BadInput
from osler.store.store import Store
from osler.training import splits as splitting
from osler.training.audit import audit
from osler.training.overlap import held_in
from osler.training.reading import _from_parquet, cases_of, rows
from osler.training.shown import shown
from osler.training.splits import TRAIN, Shares, split_of
from osler.training.writers.card import _table
from tests.training.dataset.playing import CASES, library, played, written


@pytest.fixture
def data(store: Store, tmp_path: Path) -> Path:
    played(store, rounds=2)
    written(store, ["one"], tmp_path / "data", "jsonl", "sharegpt")
    return tmp_path / "data"


def test_cases_are_listed_in_the_split_of_their_rows(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splitting, "LARGE", 0)  # each cluster is too large for its split
    played(store, cases=library(*CASES), rounds=1)
    shares = Shares(0.16, 0.16)
    written(store, ["one"], tmp_path / "data", shares=shares)
    trained_on = {row.case_hash for row in rows(tmp_path / "data")}
    clusters = {row.cluster for row in rows(tmp_path / "data")}
    assert any(split_of(cluster, shares) != TRAIN for cluster in clusters)
    assert held_in(tmp_path / "data").split == dict.fromkeys(trained_on, TRAIN)


def test_a_case_may_hold_any_line_separator(data: Path) -> None:
    path = data / "cases.jsonl"
    case = json.loads(path.read_text())
    case["texts"][0] += "one\u2028two\x85three"
    path.write_text(json.dumps(case, ensure_ascii=False) + "\n")
    assert cases_of(data) == {case["case_hash"]: case["texts"]}
    assert set(held_in(data).cases) == {case["case_hash"]}


@pytest.mark.parametrize("shares", [Shares(float("nan"), 0.1), Shares(0.1, float("nan")), Shares(-0.1, 0.1)])
def test_shares_that_are_no_shares_are_refused(shares: Shares) -> None:
    with pytest.raises(BadInput, match="leave nothing"):
        shares.checked()


@pytest.mark.parametrize("value", ["nan", "inf", "x", ""])
def test_a_soft_filter_needs_a_number(value: str) -> None:
    assert _least(["correct=1"]) == (("correct", 1.0),)
    with pytest.raises(BadInput, match="SCORE=VALUE"):
        _least([f"correct={value}"])


def change(data: Path, **fields: Any) -> None:
    path = data / "rows" / "single_train.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join((json.dumps({**json.loads(first), **fields}) + "\n", *rest)))


def text_in_blocks(content: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


SPOILT: dict[str, Callable[[Path], object]] = {
    "no content": lambda data: change(data, messages=[{"role": "user"}]),
    "plain content": lambda data: change(data, messages=text_in_blocks("words")),
    "no blocks": lambda data: change(data, messages=text_in_blocks([1])),
    "a number for a text": lambda data: change(data, messages=text_in_blocks([{"type": "text", "text": 5}])),
    "another name": lambda data: change(data, images=[{"sha256": "../../x", "media_type": "image/png"}]),
    "bytes": lambda data: (data / "rows" / "single_train.jsonl").write_bytes(b"\xff\n"),
    "depth": lambda data: (data / "rows" / "single_train.jsonl").write_text("[" * 100_000),
}


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_rows_are_refused_in_words(data: Path, name: str) -> None:
    SPOILT[name](data)
    with pytest.raises(BadInput, match="is no "):
        audit(data)
    with pytest.raises(BadInput, match="is no "):
        list(map(shown, rows(data)))


@pytest.mark.parametrize(
    "text", ['[{"messages": [], "osler": "{\\"kind\\": \\"single\\"}"}]', "[" * 100_000, "{}1"]
)
def test_spoilt_conversations_are_refused_in_words(data: Path, text: str) -> None:
    (data / "rows" / "single_train.jsonl").unlink()
    (next((data / "sharegpt").glob("*single_train*"))).write_text(text)
    with pytest.raises(BadInput, match="ShareGPT"):
        list(rows(data))


@pytest.mark.parametrize("changed", [{"settings": "x"}, {"files": [1]}])
def test_a_spoilt_manifest_is_refused_in_words(data: Path, changed: dict[str, Any]) -> None:
    path = data / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    with pytest.raises(BadInput, match="no object"):
        audit(data)


def test_a_manifest_may_name_what_no_file_is_called(data: Path) -> None:
    path = data / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "files": {"x" * 5000: ""}}))
    assert [one.what for one in audit(data).findings] == ["it is missing"]


def test_a_row_with_weights_missing_is_shown(data: Path) -> None:
    row = next(rows(data))
    assert "learnt" in shown(row.model_copy(update={"target_spans": (99,)}))


@pytest.mark.parametrize("raw", [None, "words"])
def test_a_picture_without_bytes_is_refused(data: Path, raw: object) -> None:
    row = json.loads((data / "rows" / "single_train.jsonl").read_text().splitlines()[0])
    row |= {name: json.dumps(row[name]) for name in ("context", "tokens", "about", "provenance")}
    row["messages"] = [json.dumps(one) for one in (*row["messages"], row["messages"][0])]
    whole = {**row, "images": [{"path": f"{'a' * 64}.png", "bytes": b"raw"}]}
    assert _from_parquet(whole)[1] == (b"raw",)
    with pytest.raises(ValueError, match="no bytes"):
        _from_parquet({**row, "images": [{"path": f"{'a' * 64}.png", "bytes": raw}]})


def test_no_markup_of_a_case_is_rendered_in_the_card() -> None:
    shown = _table(("", "n"), [("<img src=x>![x](http://x) a|b", "1")])
    assert "<img" not in shown
    assert "![x]" not in shown
    assert shown.splitlines()[2].replace("\\|", "").count("|") == 3


def test_no_control_code_of_a_row_reaches_the_terminal_in_an_error(data: Path) -> None:
    change(data, id="\x1b[2Jcleared", images=[{"sha256": "a" * 64, "media_type": "image/png"}])
    found = CliRunner().invoke(app, ["dataset", "show", str(data)])
    assert found.exit_code
    assert "cleared is missing" in found.output
    assert "\x1b" not in found.output
