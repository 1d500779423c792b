"""A run as it is shared: its canonical export, the calls to its models, and its cases, in a folder.

    runs/NAME.jsonl         the export (`osler.store.export`)
    runs/NAME.calls.jsonl   the calls of its models and judges, if there were any, without their messages
    cases.jsonl             each case of the runs, once, unless they are left out

A shared run is read back into a store, so that everything which reads a run reads it as well.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from osler.core.events import Frozen
from osler.core.trace import InnerRow
from osler.errors import BadInput
from osler.runs.endpoints import ENDPOINTS
from osler.store.canonical import encode
from osler.store.export import call_lines, export_lines, read_configuration, read_export, write_lines
from osler.store.records import RunInfo
from osler.store.store import Record, Store

CASES: Final = "cases.jsonl"
_SENT: Final = ("messages",)
"""What a call was sent: it may hold more than the transcript, and is not shared."""
Call = dict[str, Any]  # Any: a call's JSON, read by key
Calls = Mapping[tuple[int, int, str], Sequence[Call]]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class SharedRun(Frozen):
    """A run in a folder: its name, the number of episodes planned, where its cases were given from, and its
    endpoints as its manifest records them."""

    name: Name
    planned: int = Field(ge=1, le=10_000_000)
    cases_given_as: str = Field(max_length=4000)
    endpoints: dict[str, Any] = Field(default_factory=dict)

    @property
    def export(self) -> str:
        """The path of its export, in the folder."""
        return f"runs/{self.name}.jsonl"

    @property
    def calls(self) -> str:
        """The path of the calls to its models, in the folder."""
        return f"runs/{self.name}.calls.jsonl"


def write_run(run: RunInfo, store: Store, folder: Path) -> SharedRun:
    """Write a run's export and calls to a folder. Raises BadInput for a run that has not ended."""
    if run.status != "done":
        raise BadInput(f"the run is {run.status}", where=run.name, hint=f"osler resume {run.name}")
    shared = SharedRun(
        name=run.name,
        planned=run.planned,
        cases_given_as=str(run.manifest["cases_given_as"]),
        endpoints=run.manifest.get(ENDPOINTS, {}),
    )
    write_lines(export_lines(store, run.id), folder / shared.export)
    lines = [_without_messages(line) for line in call_lines(store, run.id)]
    if lines:
        write_lines(iter(lines), folder / shared.calls)
    return shared


def write_cases(runs: Iterable[RunInfo], store: Store, folder: Path) -> None:
    """Write every case that some runs played to a folder, in the order of their content hashes."""
    hashes = {row.case_hash for run in runs for row in store.episodes(run.id)}
    bodies = (store.case(case_hash) for case_hash in sorted(hashes))
    write_lines((json.dumps(json.loads(body)) for body in bodies if body is not None), folder / CASES)


def line_hashes(export: Path) -> Iterator[tuple[int, str]]:
    """Yield the ordinal and SHA-256 of each episode's line in an export."""
    with export.open("rb") as file:
        next(file, None)
        for line in file:
            yield int(json.loads(line)["ordinal"]), sha256(line.rstrip(b"\n")).hexdigest()


def _without_messages(line: str) -> str:
    return encode({name: value for name, value in json.loads(line).items() if name not in _SENT})


def read_back(shared: SharedRun, folder: Path, store: Store, cases: Mapping[str, str]) -> RunInfo:
    """Store a shared run as it is in its files; `cases` are the JSON texts of cases by content hash.

    Raises BadInput if a file is not what a run is shared as.
    """
    path = folder / shared.export
    manifest = {
        "configuration": read_configuration(path),
        "cases_given_as": shared.cases_given_as,
        ENDPOINTS: shared.endpoints,
    }
    run = store.begin_run(shared.name, manifest, shared.planned)
    calls, judged_by = _calls(folder / shared.calls)
    with store.claims(run.id) as claims:
        with store.writer(run.id, claims.token) as writer:
            for record in read_export(path):
                episode, trace, judgements = record
                if body := cases.get(episode.case_hash):
                    writer.case(episode.case_hash, body)
                for row in trace.rows:
                    asked = tuple(calls.get((episode.ordinal, row.n, ""), ()))
                    writer.exchange(episode.ordinal, row._replace(calls=asked))
                for inner in trace.inner:
                    writer.inner(episode.ordinal, _with_calls(inner, episode.ordinal, calls))
                ended = (episode.ordinal, episode.key, episode.case_hash, episode.case_id)
                earlier, _ = _by_time(judgements)
                writer.end(*ended, episode.outcome, earlier)
        claims.leave("done")
    _judge(run, store, read_export(path), judged_by)
    return store.run(run.name)


def _with_calls(inner: InnerRow, ordinal: int, calls: Calls) -> InnerRow:
    return inner._replace(calls=tuple(calls.get((ordinal, inner.n, inner.path), ())))


def _by_time(judgements: Sequence[Any]) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """The judgements that are not their grader's latest, and the latest, each as (grader, version, body)."""
    last = {one.grader: one for one in judgements}
    each = [(one.grader, one.version, one.body) for one in judgements if one is not last[one.grader]]
    return each, [(one.grader, one.version, one.body) for one in last.values()]


def _judge(
    run: RunInfo, store: Store, records: Iterator[Record], calls: Mapping[tuple[int, str, str], list[Call]]
) -> None:
    """Store each grader's latest judgements, with the calls of those that a model made."""
    plain: list[tuple[int, str, str, str]] = []
    for episode, _, judgements in records:
        for grader, version, body in _by_time(judgements)[1]:
            row = (episode.ordinal, grader, version, body)
            if call := calls.get((episode.ordinal, grader, version)):
                store.put_judgements(run.id, [row], call)
            else:
                plain.append(row)
    store.put_judgements(run.id, plain)


def _calls(path: Path) -> tuple[Calls, Mapping[tuple[int, str, str], list[Call]]]:
    """The calls of players by (ordinal, n, path), and those of judges by (ordinal, grader, version)."""
    players: dict[tuple[int, int, str], list[Call]] = defaultdict(list)
    judges: dict[tuple[int, str, str], list[Call]] = defaultdict(list)
    if not path.exists():
        return players, judges
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            call: Call = json.loads(line)
            ordinal, _ = int(call.pop("ordinal")), call.pop("call")
            if "judge" in call:
                judges[ordinal, str(call.pop("judge")), str(call.pop("version"))].append(call)
            else:
                players[ordinal, int(call.pop("n")), str(call.pop("path"))].append(call)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BadInput(f"line {number} is not the record of a call", where=str(path)) from None
    return players, judges


def calls_in(store: Store, run: RunInfo) -> Iterator[tuple[str, Call]]:
    """Yield each call of a run with the seat whose reply it was asked for, or its judge's name."""
    for row in store.calls(run.id):
        yield str(row.body.get("seat", "")), row.body
    for row in store.judge_calls(run.id):
        yield f"judge {row.grader}", row.body
