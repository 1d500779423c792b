"""What an earlier version of the judge has judged is never read as this one's, and can be judged anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.judge import round_judgement
from osler.protocols.ward_round.judge.round_judgement import GRADER
from osler.runs import run as runs
from osler.runs.rejudging import judge_again
from osler.runs.totals import totals
from osler.store.store import open_store


def test_an_earlier_versions_judgement_is_unscored_until_it_is_judged_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = runs.begin(RoundConfig(limit=2), store)
        with monkeypatch.context() as earlier:
            earlier.setattr(round_judgement, "VERSION", "1-earlier")
            runs.play(run, store)
        before = totals(run, store)
        assert (before.measures["leak_rate"].n, before.measures["leak_rate"].unscored) == (0, 2)
        assert before.unscored_because["leak_rate"] == {"not_judged": 2}
        assert before.graders == {}
        assert judge_again(run, store) == 2
        now = totals(run, store)
        assert (now.measures["leak_rate"].n, now.measures["leak_rate"].unscored) == (2, 0)
        store.put_judgements(run.id, [(0, GRADER, "1-earlier", '{"outcomes": {}, "scores": {}}')])
        assert totals(run, store) == now, "this version's judgement counts, whatever was stored after it"
