"""Two runs compared: pairs are the same world, and what cannot be compared fairly is refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from osler.cases.personas import persona
from osler.core.config import Config
from osler.core.measure import count_of
from osler.core.trace import Outcome
from osler.errors import BadInput, Status
from osler.judging.scores import Score
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.judgement import Judgement
from osler.protocols.consultation.measures import NAMES
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.stats.paired import holm, paired
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.compare import Comparison, compare, compare_all, compare_shown, difference_of, worlds_of
from osler.testing.cases import small_case

Answers = Mapping[str, Sequence[float | None]]
"""For each case id whether each repeat was answered rightly."""
FORTY: Answers = {f"case-{n}": [float(n % 2)] for n in range(40)}
BETTER: Answers = {f"case-{n}": [float(n % 8 > 0)] for n in range(40)}


def played(
    store: Store,
    name: str,
    answers: Answers,
    *,
    version: str | None = "1",
    cost: int = 40,
    hashes: str = "",
    declined: tuple[str, ...] = (),
    knowledge: str = "k",
    **config: Any,  # fields of RunConfig
) -> RunInfo:
    """A stored run in which each case was answered as told; `version` is the judge's, `None` unjudged."""
    repeats = max(map(len, answers.values()))
    chosen = RunConfig(repeats=repeats, **config).model_dump(mode="json")
    manifest = {
        "configuration": {**chosen, "knowledge": knowledge, "protocol": "consultation/1", "osler": "1"}
    }
    run = store.begin_run(name, manifest, repeats * len(answers))
    missing = Score(None, "needs_a_judge")
    with store.writer(run.id) as writer:
        for place, (case, rights) in enumerate(answers.items()):
            writer.case(case + hashes, "{}")
            for repeat, right in enumerate(rights):
                correct = missing if right is None else Score(right)
                body = Judgement("baseline", "1", {**dict.fromkeys(NAMES, missing), "correct": correct})
                judged = [] if version is None else [("baseline", version, body.stored.body)]
                spent = cost + 3 * place
                counts = {"turns": 3 + place % 2, "tests": 1, "cost": spent}
                outcome = Outcome(Status.COMPLETED, "concluded", 9, 0, counts, "[]")
                if case in declined:
                    tail = '[{"kind": "ended", "cause": "refused"}]'
                    outcome = outcome._replace(status=Status.INVALID_PLAY, tail=tail)
                writer.end(place * repeats + repeat, f"{place:x}", case + hashes, case, outcome, judged)
    with store.claims(run.id) as claims:
        claims.leave("done")
    return store.run(name)


def both(
    store: Store, first: dict[str, Any] | None = None, second: dict[str, Any] | None = None
) -> Comparison:
    """Two runs over the same forty cases, `before` and `after`, compared."""
    one = played(store, "before", **{"answers": FORTY, **(first or {})})
    return compare(one, played(store, "after", **{"answers": BETTER, **(second or {})}), store)


def refusal(found: Comparison) -> str:
    assert len(found.refused) == 1, found.refused
    assert not found.scores
    return found.refused[0]


def test_the_difference_is_second_minus_first_over_pairs(store: Store) -> None:
    found = both(store, None, {"doctor": "always-conclude"})
    (one,) = found.scores
    assert (one.score, one.difference.value, one.difference.n_pairs) == ("correct", 0.375, 40)
    assert (one.difference.first, one.difference.second, one.difference.cases, one.difference.unscored) == (
        0.5,
        0.875,
        40,
        0,
    )
    assert one.difference.low is not None
    assert one.difference.low > 0
    assert one.difference.p is not None
    assert one.difference.p < 0.05
    assert found.differs == {"doctor": ("baseline", "always-conclude")}
    assert (found.refused, found.unpaired) == ((), 0)
    turned = compare(store.run("after"), store.run("before"), store)
    assert turned.scores[0].difference.value == -0.375


def test_pairs_are_the_same_repeat_of_the_same_case(store: Store) -> None:
    first = played(store, "before", {"a": [1, 0], "b": [1, 1], "c": [0, 0]})
    second = played(store, "after", {"c": [0, 1], "a": [1, 0], "d": [1, 1]})
    found = compare(first, second, store)
    (one,) = found.scores
    assert one.difference.n_pairs == 4, "a and c, twice each, whatever their place in the run"
    assert one.difference.value == 0.25
    assert found.unpaired == 4


def test_a_run_compared_with_itself_differs_by_nothing(store: Store) -> None:
    run = played(store, "only", {f"case-{n}": [float(n % 3 > 0)] for n in range(200)})
    found = compare(run, run, store, ["correct", "cost"], margin=0.05)
    assert (found.scores[0].difference.value, found.scores[0].difference.p) == (0, 1)
    assert found.scores[0].difference.equivalent is True
    assert (found.scores[1].difference.value, found.scores[1].difference.low) == (0, None)
    assert found.differs == {}


def test_unscored_pairs_are_counted_and_above_5_per_cent_bounded(store: Store) -> None:
    holes: Answers = {case: [None if case.endswith("9") else right[0]] for case, right in BETTER.items()}
    first = played(store, "before", FORTY)
    (one,) = compare(first, played(store, "after", holes), store, margin=0.9).scores
    assert (one.difference.unscored, one.difference.n_pairs) == (4, 36)
    assert one.difference.bounds is not None
    assert one.difference.bounds[1] - one.difference.bounds[0] == pytest.approx(4 / 40)
    assert one.difference.equivalent is None


def test_figures_of_the_outcome_need_no_judge(store: Store) -> None:
    first = played(store, "before", FORTY, version=None)
    second = played(store, "after", FORTY, version="2", cost=50)
    cost, turns = compare(first, second, store, ["cost", "turns"]).scores
    assert (cost.difference.value, turns.difference.value) == (10, 0)
    assert "has not been judged by baseline (osler judge run before)" in refusal(
        compare(first, second, store)
    )


def test_further_scores_are_adjusted_and_the_primary_is_not(store: Store) -> None:
    first = played(store, "before", FORTY)
    second = played(store, "after", BETTER, cost=60)
    found = compare(first, second, store, ["correct", "correct", "cost_per_correct"])
    primary, again, ratio = found.scores
    assert primary.difference.p_holm is None
    assert again.difference.p is not None
    assert again.difference.p_holm is not None
    assert ratio.difference.p is not None
    assert again.difference.p_holm > again.difference.p
    assert ratio.difference.value == pytest.approx(
        (sum(60 + 3 * n for n in range(40)) / 35) - (98.5 * 40 / 20)
    )


def test_other_graders_are_refused_with_the_way_to_mend_it(store: Store) -> None:
    said = refusal(both(store, None, {"version": "2"}))
    assert "before by 1, after by 2" in said
    assert "osler judge run before; osler judge run after" in said


@pytest.mark.parametrize(
    ("second", "named"),
    [
        ({"hashes": "-changed"}, "case case-0, case-1"),
        ({"settings": Settings(options="shown")}, "settings.options is hidden in before and shown in after"),
        ({"settings": Settings(limits=Limits(max_turns=5))}, "settings.limits.max_turns is 20"),
        ({"settings": Settings(unknown="normal")}, "settings.unknown"),
        ({"settings": Settings(pictures="shown")}, "settings.pictures"),
        ({"knowledge": "newer"}, "knowledge is k in before and newer in after"),
        ({"doctor": "oracle"}, "the doctor of after is privileged"),
        ({"seed": 9}, "no world in common: seed 0 and 9"),
        ({"persona": "stoic"}, "persona plain and stoic"),
    ],
)
def test_what_cannot_be_compared_fairly_is_refused_by_name(
    store: Store, second: dict[str, Any], named: str
) -> None:
    said = refusal(both(store, None, second))
    assert named in said
    assert said.endswith(")"), "and how to mend it"


def test_every_reason_is_named_at_once(store: Store) -> None:
    found = both(store, {"doctor": "oracle"}, {"version": "2", "settings": Settings(options="shown")})
    assert len(found.refused) == 3


def test_a_score_that_nobody_gave_is_bad_input(store: Store) -> None:
    run = played(store, "only", FORTY)
    with pytest.raises(BadInput, match=r"not scored by 'elegance'.*correct"):
        compare(run, run, store, ["elegance"])


def test_derived_worlds_agree_with_those_that_were_played(store: Store) -> None:
    """Two episodes have the same derived world just where `Episode.world` is the same."""
    seen: dict[Any, set[str]] = {}
    case = small_case()
    other = case.model_copy(update={"title": "another"})
    for number, config in enumerate(
        [
            RunConfig(repeats=3),
            RunConfig(repeats=2, seed=1),
            RunConfig(repeats=2, persona="stoic"),
            RunConfig(),
        ]
    ):
        run = played(
            store,
            f"run-{number}",
            {one.content_hash: [1.0] * config.repeats for one in (case, other)},
            **config.model_dump(exclude={"repeats"}),
        )
        world_of = worlds_of(run)
        for row in store.episodes(run.id):
            world = world_of(row)
            chosen = case if row.case_hash == case.content_hash else other
            seed = f"{config.seed}/{row.ordinal % config.repeats}"
            true = Episode(row.ordinal, chosen, persona(config.persona), config.settings, seed).world
            seen.setdefault(world, set()).add(true)
    assert all(len(true) == 1 for true in seen.values())
    assert len(set.union(*seen.values())) == len(seen) == 2 * (3 + 2 + 2)


def test_a_case_twice_in_a_run_is_paired_one_by_one(store: Store) -> None:
    manifest = {"configuration": {**RunConfig().model_dump(mode="json"), "protocol": "consultation/1"}}
    run = store.begin_run("twice", manifest, 2)
    outcome = Outcome(Status.COMPLETED, "concluded", 9, 0, {"turns": 3, "tests": 1, "cost": 40}, "[]")
    with store.writer(run.id) as writer:
        writer.case("same", "{}")
        for ordinal in range(2):
            writer.end(ordinal, f"{ordinal}", "same", "same", outcome)
    found = compare(store.run("twice"), store.run("twice"), store, ["turns"])
    assert (found.scores[0].difference.n_pairs, found.unpaired) == (2, 0)


# Every protocol


def really(store: Store, config: Config, name: str) -> RunInfo:
    return runs.play(runs.begin(config, store, name=name), store).run


@pytest.mark.parametrize(
    ("config", "seat", "other"),
    [
        (RunConfig(limit=3), "doctor", "always-conclude"),
        (RoundConfig(limit=3), "tutor", "lecturer"),
        (ScenarioConfig(limit=3), "examinee", "null"),
    ],
    ids=["consultation", "ward_round", "scenario"],
)
def test_every_protocol_is_compared_by_all_its_measures(
    store: Store, config: Config, seat: Any, other: str
) -> None:
    first, second = really(store, config, "one"), really(store, config.seated({seat: other}), "two")
    measures = config.plays.measures
    found = compare(first, second, store, [measure.name for measure in measures])
    assert found.refused == ()
    assert found.differs == {seat: (getattr(config, seat), other)}
    assert found.unpaired == 0
    one, two = totals(first, store, traced=True).measures, totals(second, store, traced=True).measures
    seen = 0
    for measure, compared in zip(measures, found.scores, strict=True):
        before, after = one[measure.name], two[measure.name]
        if before.n and before.n == after.n and not before.unscored + after.unscored:
            if before.value is None or after.value is None or compared.difference.value is None:
                assert compared.difference.value is None
                continue
            seen += 1
            assert compared.difference.value == pytest.approx(after.value - before.value, abs=2e-6)
            assert (compared.difference.first, compared.difference.second) == (before.value, after.value)
    assert seen >= 3
    headline = compare(first, second, store)
    assert [each.score for each in headline.scores] == [measures[0].name]
    turned = compare(second, first, store, [measures[0].name]).scores[0].difference
    gap = headline.scores[0].difference
    assert gap.value is not None
    assert turned.value == -gap.value
    assert (turned.low, turned.high) == tuple(None if end is None else -end for end in (gap.high, gap.low))


def test_runs_of_two_protocols_are_refused_by_name(store: Store) -> None:
    first = really(store, RunConfig(limit=1), "one")
    second = really(store, ScenarioConfig(limit=1), "two")
    with pytest.raises(BadInput, match="one is a run of consultations and two one of scenarios"):
        compare(first, second, store)


def test_an_examinee_who_was_handed_the_script_is_refused(store: Store) -> None:
    first = really(store, ScenarioConfig(limit=1), "one")
    second = really(store, ScenarioConfig(limit=1, examinee="oracle"), "two")
    assert "the examinee of two is privileged: oracle" in refusal(compare(first, second, store))


def test_other_students_are_another_world(store: Store) -> None:
    first = really(store, RoundConfig(limit=1), "one")
    second = really(store, RoundConfig(limit=1, students=2), "two")
    assert "no world in common: students 3 and 2" in refusal(compare(first, second, store))


def test_several_runs_are_compared_pair_by_pair_and_adjusted_by_family(store: Store) -> None:
    first = played(store, "before", FORTY)
    second = played(store, "after", BETTER, cost=60)
    third = played(store, "third", BETTER, cost=55)
    found = compare_all([first, second, third], store, ["correct", "cost_per_correct"])
    pairs = [("before", "after"), ("before", "third"), ("after", "third")]
    assert [(pair.first, pair.second) for pair in found.pairs] == pairs
    for place in (0, 1):
        family = [pair.scores[place].difference for pair in found.pairs]
        given = [one.p for one in family if one.p is not None]
        assert [one.p_holm for one in family if one.p is not None] == holm(given)
        assert len(given) >= 2
        assert any(one.p_holm != one.p for one in family)
    alone = compare(first, second, store).scores[0].difference
    assert (alone.p_holm, alone.p) == (None, found.pairs[0].scores[0].difference.p)
    baseline = compare_shown([first, second, third], store, with_first=True)
    assert [(pair.first, pair.second) for pair in baseline.pairs] == pairs[:2]
    assert baseline.ranks == ()


def test_runs_are_ranked_with_the_places_that_they_may_truly_hold(store: Store) -> None:
    best: Answers = {f"case-{n}": [1.0] for n in range(40)}
    close: Answers = {**BETTER, "case-0": [1.0]}
    runs = [played(store, name, rows) for name, rows in (("a", FORTY), ("b", BETTER), ("c", close))]
    found = compare_all([*runs, played(store, "d", best)], store)
    assert [(one.run, one.rank, one.low, one.high) for one in found.ranks] == [
        ("a", 4, 4, 4),
        ("b", 3, 1, 3),
        ("c", 2, 1, 3),
        ("d", 1, 1, 3),
    ]
    assert compare_all(runs, store, ["turns"]).ranks == (), "more turns are neither better nor worse"
    cheap = compare_all([played(store, "e", FORTY, cost=400), runs[0]], store, ["cost_per_correct"])
    assert [one.rank for one in cheap.ranks] == [2, 1], "less is better"


def test_too_many_declined_are_unscored_in_the_world_that_they_are_of(store: Store) -> None:
    first = played(store, "before", FORTY)
    second = played(store, "after", BETTER, declined=tuple(f"case-{n}" for n in range(4)))
    gap = compare(first, second, store).scores[0].difference
    assert (gap.n_pairs, gap.unscored) == (36, 4)
    assert gap.bounds is not None


def test_a_pair_that_cannot_be_compared_leaves_no_ranks(store: Store) -> None:
    runs = [played(store, "a", FORTY), played(store, "b", BETTER), played(store, "c", FORTY, version="2")]
    found = compare_all(runs, store)
    assert [bool(pair.refused) for pair in found.pairs] == [False, True, True]
    assert (found.ranks, found.passes) == ((), ())


def test_repeats_that_are_all_right(store: Store) -> None:
    first = played(store, "before", {"a": [1, 0, 1], "b": [1, 1, 1], "c": [0, 0, None]})
    second = played(store, "after", {"a": [1, 1, 1], "b": [1, 1, 0], "c": [0, 0, 0]})
    found = compare_all([first, second], store).passes
    assert [(one.run, one.k, one.value, one.n, one.unscored) for one in found] == [
        ("before", 2, pytest.approx((1 / 3 + 1 + 0) / 3, abs=1e-6), 3, 0),
        ("before", 3, 0.5, 2, 1),
        ("after", 2, pytest.approx((1 + 1 / 3 + 0) / 3, abs=1e-6), 3, 0),
        ("after", 3, pytest.approx(1 / 3, abs=1e-6), 3, 0),
    ]
    assert all(one.low is not None and 0 <= one.low <= one.high <= 1 for one in found if one.high)
    assert compare_all([first, second], store, ["turns"]).passes == ()
    once = [played(store, name, FORTY) for name in ("once", "again")]
    assert compare_all(once, store).passes == ()


def test_other_graders_scores_are_read_by_name(store: Store) -> None:
    first, second = played(store, "before", FORTY), played(store, "after", BETTER)
    for run, value in ((first, 0.25), (second, 0.75)):
        body = json.dumps({"grader": "model:j", "version": "1", "scores": {"kindness": {"value": value}}})
        store.put_judgements(run.id, [(n, "model:j", "1", body) for n in range(40)])
    (one,) = compare(store.run("before"), store.run("after"), store, ["kindness"], grader="model:j").scores
    assert (one.difference.value, one.kind) == (0.5, "share")
    with pytest.raises(BadInput, match=r"model:j gives no score 'correct'.*known: .*kindness"):
        compare(first, second, store, ["correct"], grader="model:j")


def test_a_count_of_noughts_and_ones_is_no_right_and_wrong_answer() -> None:
    """Else its interval would change with the largest count that happened to be seen."""
    zeros, ones = np.array([0.0, 0, 0, 1, 0, 1]), np.array([1.0, 0, 1, 1, 0, 1])
    table = np.stack([np.stack([side, np.ones(6)], axis=1) for side in (zeros, ones)], axis=1)
    cases = [f"c{n}" for n in range(6)]
    found = difference_of(count_of("calls", "calls", "calls for help"), cases, table)
    assert found == paired(cases, zeros, ones, marks=True)
    assert found != paired(cases, zeros, ones)
