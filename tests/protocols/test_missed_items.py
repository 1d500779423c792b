"""Every measure of every protocol says which items keep an episode from its full value, or why none do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import osler
from osler.core.measure import Scored, missed_by, plain_value
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.runs.stored_case import stored
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store, open_store

PLAYED: dict[str, dict[str, Any]] = {
    "consultation": {"doctor": "baseline"},
    "consultation/hasty": {"doctor": "always-conclude"},
    "scenario": {"examinee": "repeat-everything"},
    "ward_round": {"tutor": "announcer"},
    "ward_round/parrot": {"tutor": "parrot"},
    "vqa": {},
}
ITEMLESS = {
    "consultation": {
        "brier": "how sure",
        "cost_per_correct": "what the tests cost",
        "facts_claimed_not_told": "counted as the story is played",
        "facts_told_not_claimed": "counted as the story is played",
        "wrong_release": "counted as the story is played",
    },
    "scenario": {
        "facts_claimed_not_told": "counted as the story is played",
        "facts_told_not_claimed": "counted as the story is played",
        "wrong_acts": "counted as the story is played",
    },
    "ward_round": {
        "facts_claimed_not_told": "counted as the story is played",
        "facts_told_not_claimed": "counted as the story is played",
    },
    "vqa": {},
}
"""The measures without items, each with words of the reason."""


@pytest.mark.parametrize("name", list(ITEMLESS))
def test_the_measures_without_items_say_why(name: str) -> None:
    itemless = {one.name: one.itemless for one in protocol_named(name).measures if one.itemless}
    assert itemless.keys() == ITEMLESS[name].keys()
    for measure, words in ITEMLESS[name].items():
        assert words in itemless[measure]


def scored(protocol: Protocol, store: Store, run: RunInfo, row: EpisodeRow, case: Any) -> Scored:
    """An episode as its measures see it."""
    _, trace, judgements = store.record(run.id, row.ordinal)
    body = json.loads(next(one.body for one in judgements if one.grader == protocol.graders[0]))
    parsed = protocol.judgement(lambda: case, body) if protocol.judgement else None
    return Scored(row, body, lambda: trace, parsed, lambda: case)


@pytest.mark.parametrize("played", list(PLAYED))
def test_a_measure_below_its_full_value_lists_what_was_missed(tmp_path: Path, played: str) -> None:
    name = played.partition("/")[0]
    protocol = protocol_named(name)
    store = tmp_path / "osler.db"
    osler.run(name, "library", limit=2, store=store, **PLAYED[played])
    short = set[str]()
    with open_store(store) as opened:
        run = opened.run("last")
        case_of = stored(opened, protocol.config.model)
        for row in opened.episodes(run.id):
            found = scored(protocol, opened, run, row, case_of(row.case_hash))
            for measure in protocol.measures:
                missed = missed_by(measure, found)
                value = plain_value(measure.of(found))
                if not measure.falls_short(value):
                    assert missed == (), measure.name
                elif not measure.itemless:
                    short.add(measure.name)
                    assert missed, f"{measure.name} is {value}"
                    assert all(one.strip() for one in missed)
    assert protocol.measures[0].name in short or played == "consultation"
