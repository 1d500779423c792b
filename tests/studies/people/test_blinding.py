"""A rater cannot tell from a sheet who is a person and who a model: by no name, no time, no typing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from osler.core.factory import always
from osler.core.registry import OURS, protocol_named
from osler.players.scripted import Scripted
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.seats import Ask, Finalize
from osler.runs import run as runs
from osler.store.permissions import grant
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.rating.blind import hide, one_way
from osler.studies.rating.export import FOR_RATERS, SampleRequest, write_export
from osler.studies.rating.scales import load_scale
from osler.studies.rating.sheet import read_sheet

TYPED = (
    "hello, I'm Canarina, a third year medical student. where does it hurt?",
    "as a human doctor I'd ask: do you smoke - or did you?",
)
WRITTEN = (
    "## Hello, I’m Canarion, **a third year medical student**. where does it hurt? \U0001f642",
    "As an AI I'd ask: do you *smoke* — or did you?",
)
ENDS = {"diagnosis": "heart attack", "plan": ["call cardiology"], "followup": "tomorrow"}
NO_MANIFESTS = hide([])


def sits(store: Store, only: str) -> RunInfo:
    """A person's run, typed in a hurry, with marks of the person in everything that is recorded beside it."""
    said = [*(Ask(question=text) for text in TYPED), Finalize(**ENDS)]
    more = {"person": always(Scripted(said, "person"))}
    run = runs.begin(RunConfig(doctor="person", only=only), store, more, name=f"canaryperson-{only}")
    runs.play(run, store, more=more)
    ordinals = [row.ordinal for row in store.episodes(run.id)]
    grant(store, run.id, ordinals, ["research"], pseudonym="Canaryname", consent="canarytext")
    return store.info(run.id)


def writes(store: Store, folder: Path, only: str) -> RunInfo:
    """The same encounter by a program that writes as models do."""
    moves = [*({"action": "ASK", "question": text} for text in WRITTEN), {"action": "FINALIZE", **ENDS}]
    path = folder / "canaryscript.yaml"
    path.write_text(yaml.safe_dump(moves), encoding="utf-8")
    run = runs.begin(RunConfig(doctor=f"scripted:{path}", only=only), store, name=f"canarymodel-{only}")
    runs.play(run, store)
    return store.info(run.id)


def test_the_same_words_of_a_person_and_of_a_program_are_the_same_line_for_line(
    store: Store, tmp_path: Path
) -> None:
    both = [sits(store, "cardiology-01"), writes(store, tmp_path, "cardiology-01")]
    found = write_export(store, both, load_scale("realism"), SampleRequest(n=2, raters=1), tmp_path / "out")
    one, other = read_sheet(tmp_path / "out" / FOR_RATERS / "rater-1.csv").rows
    lines = one.whole("transcript").splitlines()
    mine = [line for line in lines if line.startswith("doctor: ")]
    assert mine[0] == "doctor: Hello, I'm (name), (player). where does it hurt?"
    theirs = other.whole("transcript").splitlines()
    differing = [pair for pair in zip(lines, theirs, strict=True) if pair[0] != pair[1]]
    assert len(differing) <= 1, "but for what each says it is"
    assert {behind.run for behind in found.key.episodes.values()} == {run.name for run in both}


@pytest.mark.parametrize("scale", ["manager", "realism"])
def test_no_canary_of_who_played_is_on_the_sheets_and_the_order_is_drawn(
    scale: str, store: Store, tmp_path: Path
) -> None:
    cases = ("cardiology-01", "cardiology-02", "neurology-01", "surgery-01")
    both = [run for only in cases for run in (sits(store, only), writes(store, tmp_path, only))]
    orders = []
    for seed in range(4):
        out = tmp_path / f"out-{seed}"
        found = write_export(store, both, load_scale(scale), SampleRequest(n=8, seed=seed, raters=2), out)
        text = "\n".join(path.read_text("utf-8") for path in (out / FOR_RATERS).glob("*.*"))
        assert not re.findall(r"(?i)canar\w*", text)
        sheets = "\n".join(path.read_text("utf-8") for path in (out / FOR_RATERS).glob("*.csv"))
        transcripts = " ".join(
            row.whole("transcript")
            for path in (out / FOR_RATERS).glob("*.csv")
            for row in read_sheet(path).rows
        ).lower()
        for telling in (
            "third year",
            "an ai",
            "a human",
            "scripted",
            "pseudonym",
            "seconds",
            "latency",
            "**",
            "##",
        ):
            assert telling not in transcripts, telling
        for sign in "—’“\U0001f642":
            assert sign not in transcripts, sign
        assert "person:" not in sheets
        for sheet in found.key.sheets.values():
            kinds = tuple("person" in found.key.episodes[name].run for name in sheet)
            assert sum(kinds) == 4
            orders.append(kinds)
    assert len(set(orders)) > 2, "people and programs stand in an order of their own on each sheet"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**Plan:**  \u2022 rest  \u2022 *water*", "Plan: - rest - water"),
        ("- rest for 2 - 3 days", "Rest for 2 - 3 days"),
        ("pH 7.2, mmHg", "pH 7.2, mmHg"),
        ("# Summary ## Next", "Summary Next"),
        ("a “quoted” word—and it’s done…", "A 'quoted' word-and it's done..."),
        ("BP 120/80 * 2, snake_case, 5 - 3 = 2, p<0.05", "BP 120/80 * 2, snake_case, 5 - 3 = 2, p<0.05"),
    ],
)
def test_signs_are_written_in_one_way(text: str, shown: str) -> None:
    assert one_way(text) == shown
    assert one_way(shown) == one_way(one_way(shown))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I'm Sam, a final year medical student", "I'm (name), (player)"),
        ("I am a medical student here", "I am (player) here"),
        ("I'm only a second-year nursing student.", "I'm (player)."),
        ("I am a real person, as a human being", "I am (player), as (player)"),
        (
            "I'm a private person. My son is a medical student.",
            "I'm a private person. My son is a medical student.",
        ),
        ("I'm Irish, a smoker, and a person with asthma", "I'm Irish, a smoker, and a person with asthma"),
    ],
)
def test_what_players_say_they_are_is_masked_and_what_patients_are_is_not(text: str, shown: str) -> None:
    assert NO_MANIFESTS(text) == shown


@pytest.mark.parametrize("name", [name for name in OURS if protocol_named(name).scale])
def test_realism_fits_every_protocol_and_shows_no_answer(name: str) -> None:
    scale = load_scale("realism")
    scale.check_fits(protocol_named(name))
    assert scale.reference == ()
    assert {item.first for item in scale.items} == {1}
    assert all(len(item.levels) == 5 for item in scale.items)
    about = {item.id for item in scale.items}
    assert {"patient_voice", "course"} <= about
