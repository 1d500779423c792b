"""Debriefings of stored episodes: headings are words alone, and so is the person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import osler
from osler.core import debriefing as core
from osler.core.debriefing import YOU, Debriefing, Kind, Phrase, third
from osler.errors import BadInput
from osler.protocols.consultation import debriefing as consultation
from osler.protocols.scenario import debriefing as scenario
from osler.protocols.ward_round import debriefing as ward_round
from osler.reports.debriefing import debriefing_json, in_words
from osler.runs.debriefing import debriefed
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store, open_store

Headings = dict[str, tuple[Kind, str]]
PLAYED = ("consultation", "scenario", "ward_round")


class Kept(NamedTuple):
    """A store with one run of each protocol, by its name."""

    store: Store
    runs: dict[str, RunInfo]

    def read(self, protocol: str, reader: str = "") -> Debriefing:
        """The debriefing of the run's episode."""
        return debriefed(self.runs[protocol], self.store, reader=reader).debriefing


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    place: Path = tmp_path_factory.mktemp("debriefing")
    with open_store(f"sqlite:///{place / 'osler.db'}") as store:
        runs = {one: osler.run(one, "library", limit=1, store=store).info for one in PLAYED}
        yield Kept(store, runs)


def without_headings(found: Debriefing) -> Debriefing:
    return found._replace(sections=tuple(one._replace(heading="") for one in found.sections))


@pytest.mark.parametrize(
    ("run", "module", "table", "reader"),
    [
        ("consultation", consultation, "HEADINGS", "doctor"),
        ("scenario", scenario, "HEADINGS", "examinee"),
        ("ward_round", ward_round, "OF_TUTOR", "tutor"),
        ("ward_round", ward_round, "OF_STUDENT", "student_1"),
    ],
)
def test_a_heading_reworded_changes_no_kind_mark_or_item(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, run: str, module: ModuleType, table: str, reader: str
) -> None:
    before = kept.read(run, reader)
    headings: Headings = getattr(module, table)
    other = {name: (kind, f"Heading {n}") for n, (name, (kind, _)) in enumerate(headings.items())}
    monkeypatch.setattr(module, table, other)
    after = kept.read(run, reader)
    assert after.sections
    assert all(in_words(one.heading, YOU).startswith("Heading ") for one in after.sections)
    assert without_headings(after) == without_headings(before)


@pytest.mark.parametrize("run", PLAYED)
def test_whoever_did_not_play_is_not_addressed(kept: Kept, run: str) -> None:
    found = kept.read(run)
    assert found.person == YOU
    of_another = found._replace(reader="")
    assert of_another.person == third(found.about)
    assert found.about in in_words(of_another.sections[0].heading, of_another.person)
    (ours, theirs) = (debriefing_json(one, (), "run:0")["debrief"] for one in (found, of_another))
    assert ours != theirs
    assert [one["name"] for one in ours["sections"]] == [one["name"] for one in theirs["sections"]]


def test_an_item_stands_once_and_only_what_was_not_met_can_be_contested(kept: Kept) -> None:
    for run in ("consultation", "scenario"):
        entries = [(part.kind, one) for part in kept.read(run).sections for one in part.entries if one.item]
        assert len({one.item for _, one in entries}) == len(entries)
        assert {kind for kind, one in entries if one.contestable} <= {"missed"}


def test_values_are_never_read_for_places() -> None:
    hostile = "{you} {0.__class__} {"
    assert Phrase("{You} said {}", (hostile,)).to(third("doctor")) == f"The doctor said {hostile}"
    assert core.sections({"a": ("good", "A")}, {"a": ()}) == ()


def test_a_protocol_without_a_debriefing_shows_its_scores(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = kept.runs["ward_round"]
    plain = replace(protocol_of(run), debriefing=None)
    monkeypatch.setattr("osler.runs.debriefing.protocol_of", lambda _: plain)
    found = debriefed(run, kept.store).debriefing
    (part,) = found.sections
    assert part.kind == "score"
    assert len(part.entries) == len(found.scores.keys() & {one.name for one in plain.measures})


def test_an_episode_that_was_not_played_is_refused(kept: Kept) -> None:
    with pytest.raises(BadInput, match="no such episode"):
        debriefed(kept.runs["scenario"], kept.store, 7)
