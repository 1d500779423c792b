"""Two runs compared: pairs are the same world, and what cannot be compared fairly is refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from osler.cases.personas import persona
from osler.encounter.consultation import Settings
from osler.encounter.limits import Limits
from osler.encounter.trace import Outcome
from osler.errors import BadInput, Status
from osler.judging.scores import NAMES, Judgement, Score, judgement_json
from osler.store.rows import RunInfo
from osler.store.store import Store, open_store
from osler.studies.build import RunConfig
from osler.studies.compare import Comparison, compare, worlds
from osler.studies.execute import Episode
from osler.testing.cases import small_case

Answers = Mapping[str, list[float | None]]
"""For each case id whether each repeat was answered rightly."""
FORTY: Answers = {f"case-{n}": [float(n % 2)] for n in range(40)}
BETTER: Answers = {f"case-{n}": [float(n % 8 > 0)] for n in range(40)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "osler.db") as opened:
        yield opened


def played(
    store: Store,
    name: str,
    answers: Answers,
    *,
    version: str | None = "1",
    cost: int = 40,
    hashes: str = "",
    knowledge: str = "k",
    **config: Any,  # fields of RunConfig
) -> RunInfo:
    """A stored run in which each case was answered as told; `version` is the judge's, `None` unjudged."""
    repeats = max(map(len, answers.values()))
    chosen = RunConfig(repeats=repeats, **config).model_dump(mode="json")
    manifest = {"configuration": {**chosen, "knowledge": knowledge, "protocol": "p", "osler": "1"}}
    run = store.begin_run(name, manifest, repeats * len(answers))
    missing = Score(None, "needs_a_judge")
    with store.writer(run.id) as writer:
        for place, (case, rights) in enumerate(answers.items()):
            writer.case(case + hashes, "{}")
            for repeat, right in enumerate(rights):
                correct = missing if right is None else Score(right)
                body = Judgement("baseline", "1", {**dict.fromkeys(NAMES, missing), "correct": correct})
                judged = [] if version is None else [("baseline", version, judgement_json(body))]
                spent = cost + 3 * place
                counts = {"turns": 3 + place % 2, "tests": 1, "cost": spent}
                outcome = Outcome(Status.COMPLETED, "concluded", 9, 0, counts, "[]")
                writer.end(place * repeats + repeat, f"{place:x}", case + hashes, case, outcome, judged)
    store.set_status(run.id, "done")
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
    assert (one.first_mean, one.second_mean, one.cases, one.unscored) == (0.5, 0.875, 40, 0)
    assert one.difference.low is not None
    assert one.difference.low > 0
    assert one.p is not None
    assert one.p < 0.05
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
    assert (found.scores[0].difference.value, found.scores[0].p) == (0, 1)
    assert found.scores[0].equivalent is True
    assert (found.scores[1].difference.value, found.scores[1].difference.low) == (0, None)
    assert found.differs == {}


def test_unscored_pairs_are_counted_and_above_5_per_cent_bounded(store: Store) -> None:
    holes: Answers = {case: [None if case.endswith("9") else right[0]] for case, right in BETTER.items()}
    first = played(store, "before", FORTY)
    (one,) = compare(first, played(store, "after", holes), store, margin=0.9).scores
    assert (one.unscored, one.difference.n_pairs) == (4, 36)
    assert one.bounds is not None
    assert one.bounds[1] - one.bounds[0] == pytest.approx(4 / 40)
    assert one.equivalent is None


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
    assert primary.p_holm is None
    assert again.p is not None
    assert again.p_holm is not None
    assert ratio.p is not None
    assert again.p_holm > again.p
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
    with pytest.raises(BadInput, match=r"no score 'elegance'.*correct"):
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
        for world, row in worlds(run, store.episodes(run.id)):
            chosen = case if row.case_hash == case.content_hash else other
            seed = f"{config.seed}/{row.ordinal % config.repeats}"
            true = Episode(row.ordinal, chosen, persona(config.persona), config.settings, seed).world
            seen.setdefault(world, set()).add(true)
    assert all(len(true) == 1 for true in seen.values())
    assert len(set.union(*seen.values())) == len(seen) == 2 * (3 + 2 + 2)


def test_a_case_twice_in_a_run_is_paired_one_by_one(store: Store) -> None:
    manifest = {"configuration": RunConfig().model_dump(mode="json")}
    run = store.begin_run("twice", manifest, 2)
    outcome = Outcome(Status.COMPLETED, "concluded", 9, 0, {"turns": 3, "tests": 1, "cost": 40}, "[]")
    with store.writer(run.id) as writer:
        writer.case("same", "{}")
        for ordinal in range(2):
            writer.end(ordinal, f"{ordinal}", "same", "same", outcome)
    found = compare(store.run("twice"), store.run("twice"), store, ["turns"])
    assert (found.scores[0].difference.n_pairs, found.unpaired) == (2, 0)
