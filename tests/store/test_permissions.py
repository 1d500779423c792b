"""What people permit for their words, kept in both databases: by default practice alone."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import sqlalchemy as sa

from osler.core.permitted import CONSENT, READERS, USES, NotPermitted, consent_version
from osler.errors import BadInput
from osler.store.permissions import (
    grant,
    permissions_of,
    permitted,
    refuse_unless,
    withdraw,
)
from osler.store.permitted_store import for_reader
from osler.store.records import KeptPart, RunInfo
from osler.store.store import Store
from tests.store.samples import CASE, play

PRACTICE = {"practice"}


def begun(store: Store, count: int = 3, kept: KeptPart | None = None, **manifest: Any) -> RunInfo:
    """A run of `count` episodes played by a person as doctor, unless the manifest says otherwise."""
    held = {"configuration": {"doctor": "person", "patient": "baseline"}, **manifest}
    run = store.begin_run(None, held, count, kept)
    play(store, run.id, range(count))
    return run


def branched(store: Store, parent: RunInfo, ordinal: int, at: int = 2, earlier: Any = None) -> RunInfo:
    """A branch of an episode that a built-in doctor has played on."""
    point = {"at": at, "kept_by": ["doctor=person"]}
    origin = {"run": parent.name, "id": parent.id, "ordinal": ordinal, "at": at, "earlier": earlier}
    held = {"configuration": {"doctor": "baseline", "branch": point}, "branch_of": origin}
    run = store.begin_run(None, held, 1, KeptPart(parent.id, ordinal, at, CASE))
    play(store, run.id, range(1))
    return run


def test_without_a_word_only_practice_is_permitted(store: Store) -> None:
    run = begun(store)
    assert permitted(store, run.id, 0) == PRACTICE
    with pytest.raises(NotPermitted) as refused:
        refuse_unless(store, run.id, "research", 0)
    said = str(refused.value)
    assert "the person who played doctor permits practice" in said
    assert "this needs research" in said
    assert f"osler permit {run.name}:0 --uses research" in said


def test_an_episode_of_programs_permits_everything(store: Store) -> None:
    run = begun(store, configuration={"doctor": "model:gpt", "patient": "baseline"})
    assert permitted(store, run.id, 0) == set(USES)
    assert permissions_of(store, run.id, 0) == {}
    assert len(list(for_reader(store, "report").records(run.id))) == 3
    with pytest.raises(BadInput, match="nobody's own words"):
        grant(store, run.id, [0], ["research"])


def test_what_is_granted_holds_for_its_episode_until_it_ends(store: Store) -> None:
    run = begun(store)
    grant(store, run.id, [1], ["research", "share"], expires=200.0, pseudonym="Robin", now=100.0)
    assert permitted(store, run.id, 1, now=150.0) == {"practice", "research", "share"}
    assert permitted(store, run.id, 1, now=200.0) == PRACTICE
    assert permitted(store, run.id, 0, now=150.0) == PRACTICE
    held = permissions_of(store, run.id, 1)["doctor"]
    assert (held.pseudonym, held.consent, held.given) == ("Robin", consent_version(CONSENT), 100.0)
    with pytest.raises(NotPermitted) as refused:
        refuse_unless(store, run.id, "share", 1, now=201.0)
    assert "Robin" not in str(refused.value), "a refusal names nobody"


def test_the_last_word_counts_and_the_pseudonym_stays(store: Store) -> None:
    run = begun(store)
    grant(store, run.id, [0], ["research"], pseudonym="Robin")
    grant(store, run.id, [0], ["teacher"])
    assert permitted(store, run.id, 0) == {"practice", "teacher"}
    withdraw(store, run.id, [0])
    assert permitted(store, run.id, 0) == PRACTICE
    assert permissions_of(store, run.id, 0)["doctor"].pseudonym == "Robin"


def test_everybody_in_an_episode_must_permit(store: Store) -> None:
    run = begun(store, configuration={"doctor": "person", "patient": "person"})
    grant(store, run.id, [0], ["research"], seats=["doctor"])
    assert permitted(store, run.id, 0) == PRACTICE
    with pytest.raises(NotPermitted, match="played patient"):
        list(for_reader(store, "export").records(run.id))
    grant(store, run.id, [0], ["research", "training"], seats=["patient"])
    assert permitted(store, run.id, 0) == {"practice", "research"}
    assert [row.ordinal for row, _, _ in for_reader(store, "export").records(run.id)] == [0]


def test_what_is_refused_is_left_out_of_every_reading_and_counted(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    run = begun(store)
    grant(store, run.id, [1], ["research"])
    seen = for_reader(store, "export")
    with caplog.at_level(logging.WARNING):
        assert [row.ordinal for row in seen.episodes(run.id)] == [1]
    assert [row.ordinal for row, _ in seen.traces(run.id)] == [1]
    assert {one.ordinal for one in seen.judgements(run.id)} == {1}
    assert seen.record(run.id, 1)[0].ordinal == 1
    for read in (seen.record, seen.recorded, seen.recorded_inner, seen.asked, seen.ended, seen.trace):
        with pytest.raises(NotPermitted):
            read(run.id, 0)
    (said,) = (one.getMessage() for one in caplog.records)
    assert said.startswith(f"2 of 3 episodes of {run.name} are left out")
    assert len(list(store.records(run.id))) == 3, "the store itself still shows all, to whoever played"


def test_two_readers_in_one_need_both_uses(store: Store) -> None:
    run = begun(store)
    grant(store, run.id, [0], ["research"])
    grant(store, run.id, [1], ["research", "training"])
    both = for_reader(for_reader(store, "export"), "memory")
    assert [row.ordinal for row in both.episodes(run.id)] == [1]


def test_a_branch_asks_what_was_permitted_where_it_was_said(store: Store) -> None:
    parent = begun(store)
    child = branched(store, parent, 1)
    grandchild = branched(store, child, 0, at=3, earlier=child.manifest["branch_of"])
    for run in (child, grandchild):
        with pytest.raises(NotPermitted, match=f"osler permit {parent.name}:1"):
            list(for_reader(store, "export").records(run.id))
    grant(store, parent.id, [1], ["research"])
    for run in (child, grandchild):
        assert permitted(store, run.id, 0) == {"practice", "research"}
        assert len(list(for_reader(store, "export").records(run.id))) == 1
    store.delete_run(child.name)
    assert permitted(store, grandchild.id, 0) == PRACTICE, "who played between is not known any more"
    with pytest.raises(NotPermitted, match="own run is gone"):
        refuse_unless(store, grandchild.id, "research", 0)


def test_a_branch_that_keeps_nothing_asks_nobody(store: Store) -> None:
    child = branched(store, begun(store), 0, at=0)
    assert permitted(store, child.id, 0) == set(USES)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"uses": ["fame"]}, "no use of people's words"),
        ({"uses": ["share"]}, "only until a date"),
        ({"uses": ["research"], "expires": 1.0}, "would end before it begins"),
        ({"uses": ["research"], "pseudonym": "x" * 61}, "not a pseudonym"),
        ({"uses": ["research"], "pseudonym": "two\nlines"}, "not a pseudonym"),
        ({"uses": ["research"], "seats": ["patient"]}, "no person sits as patient"),
        ({"uses": ["research"], "ordinals": [9]}, "no episode 9"),
    ],
)
def test_what_cannot_be_granted_is_refused_in_words(store: Store, given: dict[str, Any], said: str) -> None:
    run = begun(store)
    with pytest.raises(BadInput, match=said):
        grant(store, run.id, **{"ordinals": [0], **given})
    assert permitted(store, run.id, 0) == PRACTICE


def test_a_run_without_people_costs_one_look_at_its_row(store: Store) -> None:
    run = begun(store, configuration={"doctor": "baseline"})
    asked = list[str]()
    sa.event.listen(store.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    seen = for_reader(store, "export")
    for _ in range(3):
        assert len(list(seen.records(run.id))) == 3
    assert not [one for one in asked if "permissions" in one]
    assert len([one for one in asked if "FROM runs" in one]) == 1


def test_permissions_go_with_their_run(store: Store) -> None:
    run = begun(store)
    grant(store, run.id, [0], ["research"])
    store.delete_run(run.name)
    again = begun(store)
    assert permitted(store, again.id, 0) == PRACTICE


def test_every_reader_needs_more_than_practice() -> None:
    assert set(READERS.values()) <= set(USES) - PRACTICE
