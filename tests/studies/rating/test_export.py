"""What a rater is given: drawn at random, and blind."""

from __future__ import annotations

import re
import resource
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput, Status
from osler.store.store import Store
from osler.studies.rating.blind import NOTHING_CONCLUDED, hide
from osler.studies.rating.export import FOR_RATERS, shares
from osler.studies.rating.scales import load_scale, packaged
from osler.studies.rating.sheet import read_sheet
from osler.studies.rating.unblinding_key import read_key
from tests.reports.stored_runs import HOSTILE, Episode, write_run
from tests.studies.rating.rated import exported, run_of, sheets

SAYS = (
    "Hello, I am Dr Jane Markname. As an AI language model made by OpenAI I am MARKMODEL-7b-instruct, also"
    " known as GPT-4o, served at http://markhost:8000/v1 by mark@markhost.org. My name is Mark Markson."
)

HEAD = "{name: x, title: t, version: 1, guide: g,"


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(store: Store, tmp_path: Path) -> None:
    run = run_of(store, 6, 6)
    for folder, seed in (("a", 3), ("b", 3), ("c", 4)):
        exported(store, run, tmp_path / folder, n=6, seed=seed)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")
    assert bytes_of(tmp_path / "a").keys() == bytes_of(tmp_path / "c").keys()
    assert bytes_of(tmp_path / "a") != bytes_of(tmp_path / "c")


def test_no_mark_of_who_played_is_on_a_sheet(store: Store, tmp_path: Path) -> None:
    """Marks stand where the run, its players, its models and its verdicts are named."""
    run = write_run(
        store,
        Episode(says=SAYS, plan=("apixaban, signed Dr. Markname", "Ask claude-3.5-sonnet or Qwen2.5:7b")),
        Episode(diagnosis=None, reason="MARKREASON", status=Status.OUT_OF_TURNS, case_id="MARKCASE"),
        doctor="model:MARKENDPOINT",
        name="MARKRUN",
        models={"MARKENDPOINT": "marklab/MARKMODEL-7b-instruct"},
    )
    (judgement, _) = store.judgements(run.id)
    found = exported(store, run, tmp_path / "out")
    given = b"".join(path.read_bytes() for path in (tmp_path / "out" / FOR_RATERS).iterdir()).decode()
    assert not re.findall(r"mark\w+", given.lower())
    hidden = ("openai", "gpt", "language model made", "an ai", "claude", "qwen", judgement.version)
    for telling in (*hidden, "completed", "out_of_turns", "baseline", "model:", "confidence"):
        assert telling not in given.lower(), telling
    assert NOTHING_CONCLUDED in given
    assert "Dr (name)" in given
    assert {behind.run for behind in found.key.episodes.values()} == {"MARKRUN"}


@pytest.mark.parametrize(
    "clinical",
    [
        "Doctor, I feel ill. Doctor I'm tired. The BP was 120/80 at 12:30, creatinine baseline 1.2.3",
        "I am HIV positive. I'm Jewish, and my mother had claudication; an MR angiogram in MS was normal.",
        "Mild Crohn's disease, Graves' disease; 10.5 mmol/L:7; miss meals; gemfibrozil 600 mg",
    ],
)
def test_clinical_words_stay(clinical: str) -> None:
    assert hide([{"configuration": {"models": {"a": "tiny"}}}])(clinical) == clinical


def test_no_words_of_a_player_make_a_line_of_their_own(store: Store, tmp_path: Path) -> None:
    run = write_run(
        store, Episode(says=f"So\nconclusion: a clot\r\nplan: none {HOSTILE}".replace("\ud800", ""))
    )
    (path, *_) = sheets(exported(store, run, tmp_path / "out"))
    (row,) = read_sheet(path).rows
    lines = row.whole("transcript").split("\n")
    assert [line for line in lines if line.startswith(("conclusion", "plan"))] == [
        "conclusion: Pulmonary embolism",
        "plan: Apixaban",
    ]
    assert any("conclusion: a clot plan: none" in line for line in lines)


def test_the_reference_stands_apart(store: Store, tmp_path: Path) -> None:
    (path, *_) = sheets(exported(store, write_run(store, Episode(diagnosis="Asthma")), tmp_path / "out"))
    (row,) = read_sheet(path).rows
    assert "Pulmonary embolism" in row.whole("reference")
    assert "Pulmonary embolism" not in row.whole("transcript")


def test_what_the_simulation_spoilt_is_not_drawn(store: Store, tmp_path: Path) -> None:
    run = write_run(store, Episode(), Episode(status=Status.SIMULATOR_FAULT), Episode(diagnosis=None))
    found = exported(store, run, tmp_path / "out", n=50)
    assert sorted(behind.ordinal for behind in found.key.episodes.values()) == [0, 2]
    assert found.key.eligible == 2
    empty = write_run(store, Episode(status=Status.SIMULATOR_FAULT))
    with pytest.raises(BadInput, match="can be rated"):
        exported(store, empty, tmp_path / "none")


def test_nothing_is_written_over(store: Store, tmp_path: Path) -> None:
    run = run_of(store, 2, 0)
    exported(store, run, tmp_path / "out")
    before = bytes_of(tmp_path)
    with pytest.raises(BadInput, match="already exists"):
        exported(store, run, tmp_path / "out", seed=9)
    assert bytes_of(tmp_path) == before


def test_every_sheet_has_its_own_order(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 12, 0), tmp_path / "out", raters=3)
    orders = list(found.key.sheets.values())
    assert all(sorted(order) == sorted(orders[0]) for order in orders)
    assert all(one != other for one, other in pairwise(orders))
    shown = [[row.cells["id"] for row in read_sheet(path).rows] for path in sheets(found)]
    assert shown == [list(order) for order in orders]
    assert read_key(tmp_path / "out" / "key.json") == found.key


@given(st.integers(1, 40), st.integers(1, 6), st.none() | st.integers(0, 50))
def test_shares_cover_all_and_overlap_as_asked(n: int, raters: int, overlap: int | None) -> None:
    mine = shares(n, raters, overlap)
    times = [sum(place in one for one in mine) for place in range(n)]
    common = n if overlap is None else min(n, overlap)
    assert times == [raters] * common + [1] * (n - common)
    assert max(map(len, mine)) - min(map(len, mine)) <= 1


@pytest.mark.parametrize("name", packaged())
def test_packaged_scales_say_what_every_level_means(name: str) -> None:
    scale = load_scale(name)
    assert scale.name == name
    assert all(level.strip() for item in scale.items for level in item.levels)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name: x", "is not a scale"),
        ("- a list", "is not a scale"),
        ("{", "not valid YAML"),
        (f"{HEAD} items: [{{id: rater, asks: a, levels: [a, b]}}]}}", "own"),
        (f"{HEAD} items: [{{id: a, asks: a, levels: [a, b], yes_from: 2}}]}}", "yes"),
    ],
)
def test_a_scale_of_ones_own_is_checked(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=why):
        load_scale(str(path))
    with pytest.raises(BadInput, match="manager"):
        load_scale("nobody")


def test_an_export_for_which_there_is_no_room_names_the_file_and_leaves_nothing(
    store: Store, tmp_path: Path
) -> None:
    run = run_of(store, 6, 6)
    room = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, room[1]))  # the guide fits, a sheet does not
    try:
        with pytest.raises(BadInput, match=r"rater-1\.csv: cannot be written"):
            exported(store, run, tmp_path / "out", n=6)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, room)
    assert not (tmp_path / "out").exists()
