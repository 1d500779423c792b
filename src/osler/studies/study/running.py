"""The driver of a study: each condition is a separate run, which the same command finds and resumes.

All conditions meet the same worlds (case, patient, cohort, seed), so they are compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple

from pydantic import Field, InstanceOf, ValidationError
from pydantic_core import to_json

from osler.core.config import EARLIER, Config, config_type
from osler.core.contract import Player
from osler.core.events import Frozen
from osler.core.factory import Factory, PlayerRequest
from osler.core.lazy import load
from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput, InfrastructureFault, in_words
from osler.players.casting import casting_of
from osler.reports.scorecard import Scorecard
from osler.reports.study_report import ConditionSummary, Contrast
from osler.runs import run as runs
from osler.runs.seating import ModelOptions
from osler.stats.paired import Difference, adjusted
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.people.sittings import sat_beside
from osler.studies.rating.human_anchor import HumanAnchor, human_anchor
from osler.studies.scorecards import scorecard
from osler.studies.study.checkpoints import Checkpoint, checkpoints_of
from osler.studies.study.comparing import JudgeMarks, PlayedCondition, difference, read
from osler.studies.study.design import AS_NAMED, DATA, SEATS, Study, data_sets, marks_of, merged
from osler.studies.study.experts import ItemByExperts, by_experts
from osler.studies.study.means import Figures, means_by_level
from osler.studies.study.preparing import Before, Unfinished


class DataSet(Frozen):
    """A data set that a condition's player was trained on: its folder's name, the hash of its rows, how many
    rows by kind and of sessions, and the conditions (`STUDY: CONDITION`) whose runs it was made of, if these
    were a study's."""

    name: str
    hash: str
    rows: dict[str, int]
    sessions: int
    made_of: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The data set in one line."""
        rows = ", ".join(f"{count:,} {kind}" for kind, count in self.rows.items())
        origin = f", made of {', '.join(self.made_of)}" if self.made_of else ""
        return f"{self.name} ({self.hash[:12]}): {rows}{origin}"


class StudyResult(Frozen):
    """The results of a study. `conditions` are summaries by condition, `runs` the names of their runs,
    `marks` the measures of its named judge, by spoken name. `means` are figures by factor and level, over all
    other factors; `experts` are people's ratings of its runs by condition, `data_sets` what players were
    trained on by condition, `checkpoints` the models that played by condition, `scorecards` those of the seat
    that the study names."""

    study: str
    protocol: str
    title: str
    question: str
    note: str = ""
    cases: str
    primary: Contrast
    conditions: dict[str, ConditionSummary]
    contrasts: tuple[Contrast, ...]
    runs: dict[str, str]
    marks: tuple[str, ...] = Field(default=(), exclude_if=lambda marks: not marks)
    means: dict[str, dict[str, Figures]] = Field(default_factory=dict, exclude_if=lambda means: not means)
    experts: tuple[ItemByExperts, ...] = Field(default=(), exclude_if=lambda items: not items)
    data_sets: dict[str, DataSet] = Field(default_factory=dict, exclude_if=lambda named: not named)
    checkpoints: dict[str, tuple[Checkpoint, ...]] = Field(
        default_factory=dict, exclude_if=lambda named: not named
    )
    scorecards: dict[str, InstanceOf[Scorecard]] = Field(default_factory=dict, exclude=True)
    status: Literal["done", "paused", "interrupted"]
    why: str = ""
    human_anchor: HumanAnchor

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        conditions = {name: one.as_json() for name, one in self.conditions.items()}
        cards = {name: one.as_json() for name, one in self.scorecards.items()}
        return {
            **self.model_dump(mode="json", exclude={"conditions"}),
            "primary": self.primary.as_json(),
            "contrasts": [one.as_json() for one in self.contrasts],
            "conditions": conditions,
            **({"scorecards": cards} if cards else {}),
        }


class RunOptions(NamedTuple):
    """The options of running a study, common to every condition. `seats` names players by seat, for the
    conditions that leave the seat open or only add a wrapper to the named player. `memory` are fields of the
    memory of those conditions that have one and do not set them. `left_out` are the ids of cases that are not
    played."""

    cases: str = "library"
    format: str = "auto"
    seed: int = 0
    repeats: int = 1
    limit: int | None = None
    seats: Mapping[str, str] = {}
    images: str | None = None
    without_images: bool = False
    memory: Mapping[str, Any] = {}
    left_out: tuple[str, ...] = ()


Sit = Callable[[str, Any, Callable[[Any, Any], RunInfo]], runs.Session]
"""A callback that plays one condition, given its name, its configuration, and a function that finds or begins
its run."""


Mark = Callable[[RunInfo], JudgeMarks]
"""A callback that has a played run judged by the study's named judge, and says what it gave."""

LEXICAL: Final = "lexical"
_BY_CONDITION: Final = frozenset({"seats", "memory"})
"""What is given for a study and goes to the conditions one by one."""
_NOT_A_CONDITION: Final = frozenset({*RunOptions._fields, "only", "branch", "models"} - _BY_CONDITION)


def conditions(study: Study, given: RunOptions) -> dict[str, Config]:
    """Return the configuration of every condition. Raises BadInput that names an invalid condition, or for a
    player named for a seat that no condition leaves open."""
    protocol = protocol_named(study.protocol)
    data_sets(study)
    for seat in given.seats:
        if protocol.role(seat).many:
            hint = "write it as a condition: a field of the configuration"
            raise BadInput(f"a study deals out no seats called {seat}", where="--seat", hint=hint)
    configs: dict[str, Config] = {}
    used = set[str]()
    remembers, searched = not given.memory, set[str]()
    for name, changes in study.all_conditions().items():
        whole = merged(study.base, changes)
        whole.pop(DATA, None)
        if fixed := sorted(_NOT_A_CONDITION & whole.keys()):
            hint = "leave it out; it is an option of running the study, for all conditions alike"
            raise BadInput(f"condition {name}: {fixed[0]} is no condition", where=study.name, hint=hint)
        if given.memory and isinstance(whole.get("memory"), Mapping):
            taken = _taken(given.memory, whole["memory"])
            whole["memory"] = {**taken, **whole["memory"]}
            remembers, searched = True, searched | taken.keys()
        own = _own_seats(study, name, whole)
        seats = _seats(protocol, whole, {**study.seats, **given.seats, **own})
        used |= seats.keys()
        try:
            configs[name] = _config(protocol, whole, seats, given, tuple(configs))
        except ValidationError as error:
            raise BadInput(f"condition {name}: {in_words(error)}", where=study.name) from None
        except BadInput as error:
            raise BadInput(f"condition {name}: {error}", where=study.name) from None
    if not remembers:
        hint = "leave out --retrieve, --embedder and --looks"
        raise BadInput("no condition of this study has a memory", where=study.name, hint=hint)
    # An embedder alone implies how it is searched.
    if idle := sorted(given.memory.keys() - searched - ({"by"} if "embedder" in searched else set())):
        option = "--retrieve" if idle[0] == "by" else f"--{idle[0]}"
        what = "every condition with a memory says itself how it is searched"
        raise BadInput(what, where=option, hint="leave it out, or write a study of your own")
    if idle := sorted(given.seats.keys() - used):
        what = f"every condition names the {idle[0]} itself"
        raise BadInput(what, where=f"--seat {idle[0]}", hint="leave it out, or write a study of your own")
    return configs


def _taken(given: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a memory that a condition takes from the command line: those that it does not
    set itself, and no embedder for a search by words."""
    taken = {name: value for name, value in given.items() if name not in own}
    if {**taken, **own}.get("by", LEXICAL) == LEXICAL:
        taken.pop("embedder", None)
    return taken


def _own_seats(study: Study, name: str, whole: dict[str, Any]) -> dict[str, str]:
    """Return the players that a condition itself has for the seats that it leaves open, and remove them from
    `whole`."""
    own = whole.pop(SEATS, {})
    if not isinstance(own, Mapping) or not all(isinstance(one, str) for pair in own.items() for one in pair):
        raise BadInput(f"condition {name}: seats names no players by seat", where=study.name)
    for seat in own:
        protocol_named(study.protocol).role(seat)
    return dict(own)


def _seats(protocol: Protocol, whole: dict[str, Any], named: Mapping[str, str]) -> dict[str, str]:
    """Return the player for each seat that a condition leaves open, with its wrappers such as "+cot"; such
    levels are removed from `whole`."""
    seats: dict[str, str] = {}
    for role in protocol.roles:
        seat, level = role.name, whole.get(role.name, AS_NAMED)
        if role.many or not isinstance(level, str) or not (level == AS_NAMED or level[:1] == "+"):
            continue
        whole.pop(seat, None)
        around = "" if level == AS_NAMED else level
        if seat in named or around:
            seats[seat] = f"{named.get(seat, role.default)}{around}"
    return seats


def _config(
    protocol: Protocol,
    whole: Mapping[str, Any],
    seats: Mapping[str, str],
    given: RunOptions,
    before: tuple[str, ...],
) -> Config:
    decided = {name: value for name, value in given._asdict().items() if name not in _BY_CONDITION}
    kind = config_type(protocol)
    config = kind.model_validate({**whole, **decided}, context={EARLIER: before}).seated(dict(seats))
    for one in (one for names in protocol.names(config.model_dump(mode="json")).values() for one in names):
        for name in one.privileged:
            what = f"the {one.role.name} {name} is given the answer, and a study compares its conditions"
            raise BadInput(what, hint="osler validate plays it; name a player that is not privileged")
    later: dict[str, Factory] = dict.fromkeys(("model", "python"), _only_named)
    later |= {ending: _only_named for role in protocol.roles for ending in role.given}
    casting_of(config, later)
    return config


def _only_named(asked: PlayerRequest) -> Player:
    raise NotImplementedError(f"no player is seated as {asked.seat} to check a study")


def run_study(
    study: Study,
    given: RunOptions,
    store: Store,
    sit: Sit,
    mark: Mark | None = None,
    modelling: ModelOptions | None = None,
) -> StudyResult:
    """Play the remaining episodes of every condition, have the named judge `mark` each as it is done, and
    compare them. A condition that pauses ends the session; the same command resumes it. `modelling` is for
    what conditions ask models beside their runs.

    Raises BadInput if the primary figure needs a judge and there is none.
    """
    if study.needs_judge and mark is None:
        raise BadInput(
            f"{study.needs_judge} is the mark of a model judge",
            where=study.name,
            hint="name one with --judge model:NAME, or under judge in the study's file",
        )
    result: dict[str, PlayedCondition] = {}
    names: dict[str, str] = {}

    def played(label: str, config: Config) -> RunInfo:
        sitting = sit(label, config, _finder(study, label, store))
        if sitting.status != "done":
            raise Unfinished(sitting)
        return sitting.run

    prepared = load(protocol_named(study.protocol).condition)
    for name, config in conditions(study, given).items():
        before = {one: store.run(run) for one, run in names.items()}
        try:
            here = Before(study, name, config, before, store, played, modelling)
            wanted = prepared(here) if prepared else config
        except Unfinished as error:
            return _result(store, study, given, result, names, error.sitting)
        except InfrastructureFault as fault:
            last = runs.Session(next(reversed(before.values())), "paused", str(fault), 0.0, fault=fault)
            return _result(store, study, given, result, names, last)
        sitting = sit(name, wanted, _finder(study, name, store))
        names[name] = sitting.run.name
        result[name] = read(sitting.run, store, study, _marked(sitting, mark))
        if sitting.status != "done":
            return _result(store, study, given, result, names, sitting)
    return _result(store, study, given, result, names, None)


def _marked(sitting: runs.Session, mark: Mark | None) -> JudgeMarks | None:
    """Return what the named judge says of a run that is done."""
    return mark(sitting.run) if mark and sitting.status == "done" else None


def _finder(study: Study, condition: str, store: Store) -> Callable[[Any, Any], RunInfo]:
    def find(config: Config, more: Any) -> RunInfo:
        """Return the run of this condition, begun before or now. `config` has its models filled in."""
        source = runs.opened(config)
        parts = (study.name, condition, source.fingerprint, to_json(config.model_dump(mode="json")).decode())
        key = blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
        for run in store.runs():
            if run.manifest.get("study", {}).get("key") == key:
                return run
        about = {"study": {"name": study.name, "condition": condition, "key": key}}
        return runs.begin(config, store, more, source, about=about)

    return find


def _result(
    store: Store,
    study: Study,
    given: RunOptions,
    found: Mapping[str, PlayedCondition],
    names: dict[str, str],
    stopped: runs.Session | None,
) -> StudyResult:
    status: Any = stopped.status if stopped else "done"
    played = [store.run(name) for name in names.values()]
    measure = primary_measure(study, found)
    marks = judged_measures(study.plays, found)
    shown = {one.spoken for one in (measure, *main_measures(study, marks), *marks)}
    caveats = [f"{name}: {said}" for name, said in _caveats(found).items()]
    return StudyResult(
        study=study.name,
        protocol=study.protocol,
        title=study.title,
        question=study.question,
        note=" ".join(dict.fromkeys((*caveats, study.note))).strip(),
        cases=given.cases,
        primary=_contrast(measure, study.primary.condition, study.primary.against, found),
        conditions={name: one.summary for name, one in found.items()},
        contrasts=tuple(adjusted(list(_secondary(study, measure, found)))),
        runs=names,
        marks=tuple(one.spoken for one in marks),
        means={
            factor: {
                level: {name: one for name, one in figures.items() if name in shown}
                for level, figures in levels.items()
            }
            for factor, levels in means_by_level(study, found).items()
        },
        checkpoints={name: one for name, run in names.items() if (one := checkpoints_of(store.run(run)))},
        experts=by_experts({name: store.run(run) for name, run in names.items()}, store),
        scorecards={
            name: scorecard(store.run(run), store, study.scorecard)
            for name, run in names.items()
            if study.scorecard
        },
        status=status,
        why=stopped.why if stopped else "",
        human_anchor=human_anchor(played, store, sat_beside(store, played)),
    )


def _caveats(found: Mapping[str, PlayedCondition]) -> dict[str, str]:
    """Return what has to be said of conditions, by their names, joined where it is the same."""
    by_words: dict[str, list[str]] = {}
    for name, one in found.items():
        if said := one.config.caveat():
            by_words.setdefault(said, []).append(name)
    return {", ".join(names): said for said, names in by_words.items()}


def primary_measure(study: Study, found: Mapping[str, PlayedCondition]) -> Measure:
    """Return the measure of the primary endpoint: the declared one, or its stand-in if most cases hold no
    question that the declared one is scored on, in either condition."""
    declared = _named(study, found, study.primary.figure)
    if study.primary.otherwise is None:
        return declared
    other = _named(study, found, study.primary.otherwise)
    asked, met = (
        {
            one.episodes[ordinal].row.case_id
            for one in found.values()
            for measure in measures
            if measure in one.measures
            for ordinal, value in one.values(measure).items()
            if value is not None
        }
        for measures in ((declared,), (declared, other))
    )
    return other if 2 * len(asked) < len(met) else declared


def _named(study: Study, found: Mapping[str, PlayedCondition], figure: str) -> Measure:
    """Return a figure's measure: the protocol's, or the judge's."""
    protocol = study.plays
    marks = (*marks_of(protocol), *judged_measures(protocol, found))
    return next((one for one in marks if one.name == figure), None) or protocol.measure(figure)


def judged_measures(protocol: Protocol, found: Mapping[str, PlayedCondition]) -> tuple[Measure, ...]:
    """Return the measures that the named judge adds to the protocol's in every condition played."""
    added = [one.measures[len(protocol.measures) :] for one in found.values()]
    return tuple(measure for measure in added[0] if all(measure in one for one in added)) if added else ()


def main_measures(study: Study, given: Sequence[Measure] = ()) -> tuple[Measure, ...]:
    """Return the measures of a study's first table; `given` are those that its named judge gave."""
    protocol = study.plays
    if study.figures:
        known = {one.name: one for one in given}
        names = [name for name in study.figures if name in known or _is_of(protocol, name)]
        return tuple(known[name] if name in known else protocol.measure(name) for name in names)
    return protocol.shown_first


def _is_of(protocol: Protocol, name: str) -> bool:
    return any(name in (one.name, *one.aliases) for one in protocol.measures)


def _secondary(study: Study, primary: Measure, found: Mapping[str, PlayedCondition]) -> Iterator[Contrast]:
    protocol = study.plays
    marks = judged_measures(protocol, found)
    compared = main_measures(study, marks)
    if not study.figures:
        compared = tuple(map(protocol.measure, protocol.compared)) or compared
    compared += tuple(mark for mark in marks if mark not in compared)
    decided = (primary, study.primary.condition, study.primary.against)
    for name in found:
        for other in study.references_of(name):
            for measure in compared:
                if other in found and (measure, name, other) != decided:
                    yield _contrast(measure, name, other, found)


def _contrast(
    measure: Measure, condition: str, against: str, found: Mapping[str, PlayedCondition]
) -> Contrast:
    """Compare two conditions on one measure, on the worlds that both met."""
    rows = all(one in found and measure in found[one].measures for one in (condition, against))
    between = difference(measure, found[against], found[condition]) if rows else Difference()
    return Contrast(**asdict(between), figure=measure.spoken, condition=condition, against=against)
