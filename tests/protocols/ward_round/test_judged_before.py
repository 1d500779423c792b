"""What an earlier version of the judge has judged is never read as this one's, and can be judged anew."""

from __future__ import annotations

from pathlib import Path

from osler.protocols.ward_round.summary import summarize_rounds, taught

from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.judge.round_judgement import GRADER
from osler.runs import run as runs
from osler.runs.rejudging import judge_again
from osler.store.store import open_store


def test_an_earlier_versions_judgement_is_unscored_until_it_is_judged_anew(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = runs.begin(RoundConfig(limit=2), store)
        runs.play(run, store)
        now = summarize_rounds(run, store, 0.0)
        store.put_judgements(run.id, [(0, GRADER, "1-earlier", '{"outcomes": {}, "scores": {}}')])
        before = summarize_rounds(run, store, 0.0)
        assert (before.leak_rate.n, before.leak_rate.unscored) == (1, 1)
        assert judge_again(run, store) == 2
        assert summarize_rounds(run, store, 0.0) == now
        assert len(taught(run, store).judgements) == 2
