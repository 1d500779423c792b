"""Verification of a submission, from its folder alone and believing none of it.

Each file is hashed, each export read back into an empty store and written again to the same bytes. Each
encounter is played once more: built-in players answer live, the replies of models and people come from the
record, and requests, events, end and judgement must come out as recorded. Then the card is computed anew and
compared, figure by figure. No file that a submission names is opened, and no code that it names is imported.
What a model said cannot be proved by this, only that everything else follows from it.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import osler
from osler.core.config import Config
from osler.core.names import Kind
from osler.core.source import Source
from osler.errors import BadInput
from osler.files import sha256_of
from osler.knowledge import fingerprint
from osler.runs.batch import counted, manifest, stretches
from osler.runs.cached_source import placed
from osler.runs.run import config_of
from osler.store.canonical import encode
from osler.store.export import call_lines, export_lines
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.bench.card_fields import MOST_BYTES
from osler.studies.bench.card_hashes import card_hash
from osler.studies.bench.replay import check_replay
from osler.studies.bench.run_card import Json, card_of_runs
from osler.studies.bench.shared_cases import cases_in, complete_cases, own_source
from osler.studies.bench.shared_run import CASES, SharedRun, line_hashes, read_back
from osler.studies.bench.submission import (
    CARD,
    PAGE,
    SUBMISSION,
    Submission,
    files_in,
    html,
    json_text,
    read_submission,
    submission_text,
)
from osler.studies.bench.verification import UNREADABLE, Verification

_STATED: Final = (
    "who submitted it, the relation to the model, the date, the model's training and the prices"
    " are as submitted"
)


def verify(folder: Path) -> Verification:
    """Verify a submission. Raises BadInput for a folder that holds none."""
    result = Verification()
    submission = _described(folder, result)
    if submission is None:
        return result
    _check_files(folder, submission, result)
    try:
        cases = cases_in(folder, submission, result)
    except UNREADABLE as error:
        result.fail("case", CASES, "cases", _words(error))
        return result
    with tempfile.TemporaryDirectory() as passing, open_store(Path(passing) / "verify.db") as store:
        runs = []
        for shared in submission.runs:
            try:
                run = read_back(shared, folder, store, cases)
                _check_run(run, shared, folder, store, submission, result)
                runs.append((run, shared))
            except UNREADABLE as error:
                result.fail("run", shared.name, "a run that can be read", _words(error))
        if len(runs) == len(submission.runs):
            _check_cases_played([run for run, _ in runs], cases, store, result)
            try:
                card = card_of_runs(runs, store, folder, submission.statement, submission.prices)
                _check_card(folder, card, result)
            except UNREADABLE as error:
                result.fail("card", CARD, "a card that can be computed again", _words(error))
    result.unchecked.append(_STATED)
    return result


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _described(folder: Path, result: Verification) -> Submission | None:
    """The description of a submission; `None` if the folder holds what is not read, or the description lacks
    something. Raises BadInput for a folder without one."""
    _check_kinds(folder, result)
    if not result.ok:
        return None
    if not (folder / SUBMISSION).is_file():
        return read_submission(folder)
    try:
        submission = read_submission(folder)
    except BadInput as error:
        result.fail("submission", SUBMISSION, "a description with every field", error.what)
        return None
    text = sha256(submission_text(submission).encode()).hexdigest()
    result.compare("spelling", SUBMISSION, sha256_of(folder / SUBMISSION), text)
    return submission


def _check_kinds(folder: Path, result: Verification) -> None:
    """Note anything but files in the folder and in `runs`: a link, a pipe, another folder; and a description
    or a card that is too large."""
    for root, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(root) / name
            about = path.lstat()
            within = path.relative_to(folder).as_posix()
            if not (stat.S_ISREG(about.st_mode) or (stat.S_ISDIR(about.st_mode) and within == "runs")):
                result.fail("kind", within, "a file or the folder of runs", _kind(about.st_mode))
            if within in (SUBMISSION, CARD) and about.st_size > MOST_BYTES:
                result.fail("size", within, f"at most {MOST_BYTES:,} bytes", f"{about.st_size:,}")


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    return "another folder" if stat.S_ISDIR(mode) else "no file"


def _check_files(folder: Path, submission: Submission, result: Verification) -> None:
    """Compare every file with its hash: none is missing, none is there besides, no export twice."""
    exports: dict[str, str] = {}
    for run in submission.runs:
        first = exports.setdefault(submission.files.get(run.export, run.name), run.name)
        if first != run.name:
            result.fail("run", run.name, "another run", f"the same export as {first}")
    there = {path.relative_to(folder).as_posix(): path for path in files_in(folder)}
    for name, said in submission.files.items():
        if name not in submission.paths:
            result.fail("file", name, "listed", "no file of a submission")
        elif name not in there:
            result.fail("file", name, said, "missing")
        else:
            result.compare("file", name, said, sha256_of(there[name]))
    for name in sorted(there.keys() - submission.files.keys()):
        result.fail("file", name, "not listed", "is there")


def _check_run(
    run: RunInfo, shared: SharedRun, folder: Path, store: Store, submission: Submission, result: Verification
) -> None:
    episode = submission.episodes.get(shared.name, {})
    found = dict(line_hashes(folder / shared.export))
    for ordinal in sorted(episode.keys() | found.keys()):
        where = f"{shared.name}:{ordinal}"
        result.compare("episode", where, episode.get(ordinal, "not listed"), found.get(ordinal, "missing"))
    left_out = _check_export(run, folder / shared.export, store, result)
    config = config_of(run)
    configuration = run.manifest["configuration"]
    if (configuration.get("osler"), configuration.get("knowledge")) != (osler.__version__, fingerprint()):
        here = f"Osler {osler.__version__}, knowledge {fingerprint()}"
        theirs = f"Osler {configuration.get('osler')}, knowledge {configuration.get('knowledge')}"
        result.fail("version", shared.name, theirs, here)
        return
    source = own_source(config, shared.name, result)
    complete_cases(run, config, store, source, result)
    if source is not None:
        _check_configuration(config, source, configuration, shared.name, result)
        _check_places(config, source, shared, list(found), result)
    else:
        cases = Counter((row.case_hash, row.ordinal % config.repeats) for row in store.episodes(run.id))
        twice = [one for one, times in cases.items() if times > 1]
        result.compare("played twice", shared.name, [], twice)
    result.compare("ended", shared.name, shared.planned, len(found) + left_out)
    _check_models(config, shared, folder, result)
    _check_calls(run, shared, config, folder, store, result)
    asyncio.run(check_replay(run, config, store, source, result))


def _check_cases_played(
    runs: Iterable[RunInfo], cases: Mapping[str, str], store: Store, result: Verification
) -> None:
    """Note every case of the folder that no run played."""
    case_hashes = {row.case_hash for run in runs for row in store.episodes(run.id)}
    used = {body for case_hash, body in cases.items() if case_hash in case_hashes}
    for case_hash, body in cases.items():
        if body not in used:
            result.fail("case", f"{CASES}: {case_hash}", "a case of these runs", "played in none")


def _check_configuration(
    config: Config, source: Source[Any], configuration: Mapping[str, Any], name: str, result: Verification
) -> None:
    """Compare the configuration, as it is written, with the one that is played again."""
    again = json.loads(json.dumps(manifest(config, source)["configuration"]))
    for key in sorted(again.keys() | configuration.keys()):
        said, found = configuration.get(key, "missing"), again.get(key, "unknown")
        result.compare("configuration", f"{name}: {key}", said, found)


def _check_places(
    config: Config, source: Source[Any], shared: SharedRun, ordinals: list[int], result: Verification
) -> None:
    """Compare the number of encounters with that of the cases, and their numbers with those of the cases that
    the run plays."""
    consulted = placed(source, config)
    planned = counted(consulted, config) * config.repeats
    result.compare("planned", shared.name, shared.planned, planned)
    spans = stretches(consulted, config, planned)
    for ordinal in ordinals:
        if not any(ordinal in span for span in spans):
            where = f"{shared.name}:{ordinal}"
            result.fail("episode", where, "an encounter of this run", "of no case that it plays")


def _check_models(config: Config, shared: SharedRun, folder: Path, result: Verification) -> None:
    """Compare the models' names where they stand twice, and say what of models is nothing but said."""
    named = {model.partition(":")[2] for name in config.names().values() for model in name.models}
    result.compare("models", shared.name, sorted(config.models), sorted(named | set(config.models)))
    for name, model in config.models.items():
        recorded = shared.endpoints.get(name, {}).get("model")
        result.compare("model", f"{shared.name}: {name}", model, recorded)
    if config.models or (folder / shared.calls).exists():
        result.unchecked.append(
            f"{shared.name}: which model answered, its words, tokens, times and sampling are as submitted"
        )


def _check_calls(
    run: RunInfo, shared: SharedRun, config: Config, folder: Path, store: Store, result: Verification
) -> None:
    """Write the calls again from what was read, and compare the bytes: each belongs to an encounter of the
    run. And each reply of a model was asked for, so that no call is left out to make it cheaper."""
    path = folder / shared.calls
    said = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for number, (line, again) in enumerate(_pairs(said, call_lines(store, run.id)), 1):
        if line != again:
            result.fail("calls", f"{shared.calls}, line {number}", *_at_difference(line, again))
    recorded_calls = {(row.ordinal, row.n) for row in store.calls(run.id)}
    models = {seat for seat, name in config.names().items() if name.kinds == {Kind.MODEL} and not name.around}
    for row, trace, _ in store.records(run.id) if models else ():
        for one in trace.rows:
            if one.seat in models and (row.ordinal, one.n) not in recorded_calls:
                where = f"{shared.name}:{row.ordinal}, exchange {one.n}"
                result.fail("calls", where, f"a reply of the model of the {one.seat}", "no call")


def _check_export(run: RunInfo, path: Path, store: Store, result: Verification) -> int:
    """Write the export again from what was read, and compare the bytes. Returns how many encounters it says
    it leaves out, because their people do not permit them: the one thing that cannot be read back."""
    left_out = 0
    with path.open(encoding="utf-8") as file:
        for number, (said, found) in enumerate(_pairs(file, export_lines(store, run.id)), 1):
            if number == 1 and "left_out" in (head := json.loads(said)):
                canonical = encode(head) == said
                left_out = int(head.pop("left_out"))
                said = encode(head) if canonical else said
            if said != found:
                result.fail("export", f"{run.name}, line {number}", *_at_difference(said, found))
    result.count("export")
    if left_out:
        result.unchecked.append(f"{run.name}: {left_out} encounters are left out, on the submitter's word")
    return max(0, left_out)


def _at_difference(said: str, found: str) -> tuple[str, str]:
    """Two different lines, from a little before the first difference."""
    same = next((at for at, (one, other) in enumerate(zip(said, found, strict=False)) if one != other), None)
    at = max(0, (min(len(said), len(found)) if same is None else same) - 40)
    return said[at : at + 200], found[at : at + 200]


def _pairs(said: Iterable[str], found: Iterator[str]) -> Iterator[tuple[str, str]]:
    for line in said:
        yield line.rstrip("\n"), next(found, "no such line")
    yield from (("no such line", line) for line in found)


def _check_card(folder: Path, found: Json, result: Verification) -> None:
    """Compare the card with the one computed from the files, value by value."""
    value: Json = json.loads((folder / CARD).read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        result.fail("card", CARD, "a card", "no object")
        return
    result.compare("card hash", CARD, value.get("hash"), card_hash(value))
    found = json.loads(json.dumps(found))
    mine, theirs = _leaves(value), _leaves(found)
    for where in sorted(mine.keys() | theirs.keys()):
        result.compare("figure", where, mine.get(where, "missing"), theirs.get(where, "missing"))
    for name, text in ((CARD, json_text(found)), (PAGE, html(found))):
        path = folder / name
        if path.is_file():
            what = "spelling" if name == CARD else "page"
            result.compare(what, name, sha256_of(path), sha256(text.encode()).hexdigest())


def _leaves(value: Any, before: str = "card") -> dict[str, Any]:
    if isinstance(value, dict) and value:
        return {
            path: leaf
            for name, one in value.items()
            for path, leaf in _leaves(one, f"{before}.{name}").items()
        }
    if isinstance(value, list) and value:
        return {
            path: leaf
            for at, one in enumerate(value)
            for path, leaf in _leaves(one, f"{before}[{at}]").items()
        }
    return {before: value}
