"""Reading of a study from the store for a report: its results and the provenance of each number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.reports.study_report import Condition, Factor, StudyReport
from osler.runs.judged_episodes import judged_episodes
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.study.design import Study, marks_of, said
from osler.studies.study.running import StudyResult, main_measures

Flat = dict[str, str]


def study_report(
    study: Study, result: StudyResult, store: Store, marks: Sequence[Measure] = ()
) -> StudyReport:
    """Return the report of a study; `result` is its result from this store, `marks` are the measures that its
    named judge gave."""
    protocol, store = study.plays, for_reader(store, "study")
    runs = {name: store.run(run) for name, run in result.runs.items()}
    written = {name: _configuration(run) for name, run in runs.items()}
    shared = _shared(list(written.values()))
    crossed = study.levels()
    conditions = {}
    for name, run in runs.items():
        levels = {} if name in study.conditions else crossed[name]
        cases, results_hash = _read(run, store)
        differs = {key: value for key, value in written[name].items() if key not in shared}
        if name in result.data_sets:
            differs["trained on"] = result.data_sets[name].words
        if models := [one.words for one in result.checkpoints.get(name, ()) if one.weights]:
            differs["checkpoint"] = "; ".join(models)
        conditions[name] = Condition(levels, result.conditions[name], cases, differs, results_hash)
    return StudyReport(
        name=study.name,
        title=study.title,
        question=study.question,
        note=study.note,
        human_anchor=result.human_anchor.line,
        cases=result.cases,
        status=result.status,
        why=result.why,
        factors=tuple(
            Factor(name, tuple(map(said, levels)), all(map(_is_number, levels)))
            for name, levels in study.factors.items()
        ),
        declared=_spoken(protocol, study.primary.figure),
        primary=result.primary,
        contrasts=result.contrasts,
        conditions=conditions,
        waiting=tuple(name for name in study.all_conditions() if name not in runs),
        shared=shared,
        many=protocol.many,
        measures={one.spoken: one for one in (*protocol.measures, *marks)},
        means=result.means,
        rated=tuple(item.in_words for item in result.experts),
        scorecards=result.scorecards,
        main=tuple(dict.fromkeys(one.spoken for one in (*main_measures(study, marks), *marks))),
    )


def _spoken(protocol: Protocol, figure: str) -> str:
    """Return the name by which readers know a declared figure."""
    mark = any(one.name == figure for one in marks_of(protocol))
    return figure if mark else protocol.measure(figure).spoken


def _is_number(level: Any) -> bool:
    return isinstance(level, int | float) and not isinstance(level, bool)


def _configuration(run: RunInfo) -> Flat:
    """Return what determines a run's episodes, and the versions that played it, as text by dotted name."""
    versions = {f"version.{name}": value for name, value in run.manifest.get("versions", {}).items()}
    return dict(_flat({**run.manifest["configuration"], **versions}))


def _flat(value: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, str]]:
    for key, held in value.items():
        if isinstance(held, Mapping) and held:
            yield from _flat(held, f"{name}{key}.")
        else:
            yield f"{name}{key}", held if isinstance(held, str) else json.dumps(held)


def _shared(written: list[Flat]) -> Flat:
    """Return the entries that are the same in every condition, by name."""
    first = written[0] if written else {}
    return {
        key: value for key, value in sorted(first.items()) if all(each.get(key) == value for each in written)
    }


def _read(run: RunInfo, store: Store) -> tuple[int, str]:
    """Return the number of cases of a run, and a hash of its episodes' keys, ends and judgements."""
    cases, digest = set(), blake2b(digest_size=8)
    for episode, judgements in judged_episodes(run, store):
        cases.add(episode.case_hash)
        made = [episode.key, str(episode.status), *(text for one in judgements for text in one[1:])]
        digest.update(json.dumps(made).encode())
    return len(cases), digest.hexdigest()
