"""Rows of the kind `revision`: a tutor's refused drafts, the reviewers' reasons, and the turn that passed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.factory import always
from osler.errors import BadInput
from osler.protocols.consultation.config import CONFIG
from osler.protocols.ward_round.seats import SafetyCheck
from osler.runs import run as runs
from osler.store.store import Store
from osler.training.audit import audit
from osler.training.backend.rows import row_of
from osler.training.reading import every
from osler.training.reading import rows as rows_in
from osler.training.samples import Sample, as_row
from osler.training.state import text_of
from osler.training.task import Breach, trained_seat
from tests.training.dataset.playing import Tutor, gathered, library, plain, played, rows, written

RUDE = "That was stupid. What else?"
REASON = "Say it kindly, and ask the whole group."


class Kindly:
    """A supervisor that refuses rude drafts."""

    name = "kindly"
    durable = False

    async def reply(self, request: Any) -> SafetyCheck:
        draft = next(item.text for item in reversed(request.feed) if getattr(item, "part", "") == "draft")
        if draft.startswith("That was"):
            return SafetyCheck(is_safe=False, issue_category="tone", feedback_and_suggestion=REASON)
        return SafetyCheck(is_safe=True)


def rude(view: Any, round_: int, draft: int) -> str:
    """Two rude drafts in the second round, and none in others."""
    return f"{RUDE} {draft}" if round_ == 2 and draft < 3 else plain(view, round_, draft)


def vetoed(store: Store, says: Callable[..., str] = rude, **more: Any) -> None:
    more.setdefault("rounds", 3)
    kindly = {"kindly": always(Kindly())}
    played(store, Tutor(says=says), more=kindly, supervisor="kindly", specialist="none", **more)


def test_a_revision_has_the_drafts_the_reasons_and_what_passed(store: Store, tmp_path: Path) -> None:
    vetoed(store)
    into = gathered(store, ["one"], tmp_path, kinds=("single", "multi", "revision"))
    (row,) = rows(into, "revision")
    single = {one.turn: one for one in rows(into)}
    assert len(single) == 3
    assert (row.turn, row.target, row.messages) == (1, single[1].target, single[1].messages)
    assert row.id != single[1].id
    assert [draft.text.endswith(f"{RUDE} {n}") for n, draft in enumerate(row.refused_drafts, 1)] == [True] * 2
    refusals = [(one.by, one.issue, one.reason) for draft in row.refused_drafts for one in draft.refusals]
    assert refusals == [("supervisor", "tone", REASON)] * 2
    first, second = row.drafts_at
    assert [text_of(row.messages[at]) for at in (first, second)] == [one.text for one in row.refused_drafts]
    assert all(REASON in text_of(row.messages[at + 1]) for at in (first, second))
    assert second == len(row.messages) - 2
    assert not isinstance(trained_seat("ward_round").read(row, row.target), Breach)
    assert "stupid" not in row.target
    assert dict(into.figures.refusals) == {"supervisor: tone": 2}
    assert not any(one.refused_drafts for kind in ("single", "multi") for one in rows(into, kind))


def test_without_thinking_the_drafts_hold_no_thought(store: Store, tmp_path: Path) -> None:
    vetoed(store)
    (row,) = rows(gathered(store, ["one"], tmp_path, kinds=("revision",), thinking=False), "revision")
    assert [draft.text for draft in row.refused_drafts] == [f"{RUDE} 1", f"{RUDE} 2"]
    assert len(row.drafts_at) == 2


def test_a_data_set_has_no_revisions_unless_they_are_wanted(store: Store, tmp_path: Path) -> None:
    vetoed(store)
    manifest = written(store, ["one"], tmp_path / "plain", "jsonl", "parquet")
    assert manifest["samples"] == {"single": 3, "multi": 1}
    assert "refusals" not in manifest
    assert b"refused_drafts" not in b"".join(one.read_bytes() for one in (tmp_path / "plain").rglob("*.*"))


@pytest.mark.parametrize("form", ["jsonl", "parquet", "sharegpt"])
def test_revisions_are_read_back_and_audited(store: Store, tmp_path: Path, form: str) -> None:
    vetoed(store)
    out = tmp_path / "data"
    manifest = written(store, ["one"], out, form, kinds=("single", "revision"))
    assert manifest["samples"] == {"single": 3, "multi": 0, "revision": 1}
    assert manifest["refusals"] == {"supervisor: tone": 2}
    assert "Refusals: supervisor: tone 2" in (out / "README.md").read_text()
    (row,) = rows_in(out, "revision")
    (same,) = rows(gathered(store, ["one"], tmp_path, kinds=("revision",)), "revision")
    assert as_row(row) == as_row(same)
    assert [one.kind for one, _ in every(out)] == ["single"] * 3 + ["revision"]
    assert audit(out).findings == ()


def test_trainers_learn_what_passed_alone(store: Store, tmp_path: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - the extra `train`

    vetoed(store)
    out = tmp_path / "data"
    written(store, ["one"], out, "parquet", "openai", kinds=("revision",))
    (given,) = parquet.read_table(next((out / "data").glob("train-*"))).to_pylist()
    row = row_of(given, out)
    ((at, weight),) = row.spans
    assert (at, weight) == (len(row.messages) - 1, 1.0)
    assert "stupid" not in row.messages[at]["content"][0]["text"]
    line = json.loads((out / "openai" / "revision_train.jsonl").read_text())
    own = [one for one in line["messages"] if one["role"] == "assistant"]
    assert [one.get("weight", 1) for one in own] == [0, 0, 0, 1]


def test_what_passes_as_it_was_refused_is_no_revision(store: Store, tmp_path: Path) -> None:
    class Moody(Kindly):
        """Refuses each first draft, whatever it says."""

        async def reply(self, request: Any) -> SafetyCheck:
            drafts = [item.text for item in request.feed if getattr(item, "part", "") == "draft"]
            if drafts.count(drafts[-1]) == 1:
                return SafetyCheck(is_safe=False, issue_category="tone", feedback_and_suggestion=REASON)
            return SafetyCheck(is_safe=True)

    still = Tutor(thinks=lambda view, round_, draft: f"Thought {round_} on {view.door_note}")
    moody = {"moody": always(Moody())}
    played(store, still, more=moody, supervisor="moody", specialist="none", rounds=2)
    into = gathered(store, ["one"], tmp_path, kinds=("single", "revision"))
    assert (len(rows(into)), len(rows(into, "revision"))) == (2, 0)
    assert dict(into.figures.rejected) == {"unchanged": 2}
    assert {json.loads(one)["filter"] for one in into.spool.lines()} == {"unchanged"}


def test_a_revision_that_is_too_long_loses_earlier_rounds_and_never_its_drafts(
    store: Store, tmp_path: Path
) -> None:
    def last(view: Any, round_: int, draft: int) -> str:
        return f"{RUDE} {draft}" if round_ == 3 and draft < 3 else plain(view, round_, draft)

    vetoed(store, last)
    (whole,) = rows(gathered(store, ["one"], tmp_path, kinds=("revision",)), "revision")
    tokens = sum(whole.tokens.values())
    into = gathered(store, ["one"], tmp_path, kinds=("revision",), most_tokens=tokens - 10)
    (short,) = rows(into, "revision")
    assert short.dropped == 1
    assert len(short.drafts_at) == 2
    assert (short.refused_drafts, short.target) == (whole.refused_drafts, whole.target)
    # As long as its last round without the drafts is short enough, its turn stays.
    by_round = [one for one in rows(gathered(store, ["one"], tmp_path, kinds=("single",))) if one.turn == 2]
    most = sum(by_round[0].tokens.values())
    for limit in range(most, 300, -100):
        tight = gathered(store, ["one"], tmp_path, kinds=("single", "revision"), most_tokens=limit)
        if not rows(tight, "revision"):
            break
    assert [one.turn for one in rows(tight)].count(2) == 1
    assert tight.figures.rejected["too_long"] == 1


def spoilt(row: Sample, **changes: Any) -> Sample:
    return row.model_copy(update=changes)


def test_the_audit_finds_what_is_wrong_with_a_revision(store: Store, tmp_path: Path) -> None:
    vetoed(store)
    out = tmp_path / "data"
    written(store, ["one"], out, "jsonl", kinds=("revision",))
    path = out / "rows" / "revision_train.jsonl"
    (row,) = rows_in(out, "revision")
    unrefused = tuple(draft.model_copy(update={"refusals": ()}) for draft in row.refused_drafts)
    for other, says in (
        (spoilt(row, messages=row.messages[:-2]), "do not end with the drafts"),
        (spoilt(row, refused_drafts=()), "do not end with the drafts"),
        (spoilt(row, refused_drafts=unrefused), "nobody refused its draft"),
        (spoilt(row, target=row.refused_drafts[0].text), "nearly the words that were refused"),
    ):
        path.write_text(json.dumps(as_row(other)) + "\n", encoding="utf-8")
        found = [one.what for one in audit(out).findings if one.kind == "revision"]
        assert any(says in what for what in found), (says, found)
    lines = [json.dumps(as_row(one)) for one in (row, spoilt(row, id="another"))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert any(one.kind == "duplicate" and one.where == "another" for one in audit(out).findings)


def test_a_refused_draft_with_a_passage_of_another_splits_case_is_a_leak(
    store: Store, tmp_path: Path
) -> None:
    vetoed(store, cases=library("cardiology-01", "neurology-01"))
    out = tmp_path / "data"
    written(store, ["one"], out, "jsonl", kinds=("revision",))
    path, cases = out / "rows" / "revision_train.jsonl", out / "cases.jsonl"
    first, second = rows_in(out, "revision")
    told = next(
        one for one in map(json.loads, cases.read_text().splitlines()) if one["case_hash"] == second.case_hash
    )
    draft = first.refused_drafts[0].model_copy(update={"text": " ".join(told["texts"])})
    leaking = spoilt(first, refused_drafts=(draft, *first.refused_drafts[1:]))
    path.write_text(json.dumps(as_row(leaking)) + "\n", encoding="utf-8")
    other = out / "rows" / "revision_test.jsonl"
    other.write_text(json.dumps(as_row(spoilt(second, split="test"))) + "\n", encoding="utf-8")
    assert any(one.kind == "passage" and one.where == first.id for one in audit(out).findings)


def test_a_seat_that_nobody_reviews_and_a_transcript_have_no_revisions(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs.begin(CONFIG(limit=1), store, name="consulted")
    runs.play(run, store)
    with pytest.raises(BadInput, match="no draft of the doctor of consultations is reviewed"):
        gathered(store, ["consulted"], tmp_path, kinds=("revision",))
    monkeypatch.chdir(tmp_path)
    Path("talk.txt").write_text("D: What brings you here?\nP: My knee.\n")
    words = ("talk.txt", "--roles=D=doctor,P=patient", "--licence=CC0", "--kind=revision", "--out=talks")
    done = CliRunner().invoke(app, ["dataset", "build", *words, "--format=jsonl"])
    assert done.exit_code == 1
    assert "a transcript holds no refused drafts" in " ".join(done.stderr.split())


def test_the_command_writes_and_shows_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vetoed(store)
    monkeypatch.chdir(tmp_path)

    def osler(*words: str) -> str:
        done = CliRunner().invoke(app, [*words], env={"OSLER_STORE": str(tmp_path / "osler.db")})
        assert done.exit_code == 0, done.stderr
        return done.stdout

    build = ("dataset", "build", "one", "--out=data", "--kind=revision", "--format=jsonl")
    assert "revision: 1 rows" in osler(*build, "--validation=0", "--test=0")
    assert osler("dataset", "audit", "data").startswith("1 rows, 1 cases, 0 findings")
    shown = osler("dataset", "show", "data", "--kind=revision")
    assert "--- refused before" in shown
    assert f"supervisor (tone): {REASON}" in " ".join(shown.split())
