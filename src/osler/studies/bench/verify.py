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
import re
import stat
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

import osler
from osler.core.config import Config, config_type
from osler.core.source import Source
from osler.errors import BadInput, OslerError
from osler.files import sha256_of
from osler.knowledge import fingerprint
from osler.runs.batch import counted, manifest, stretches
from osler.runs.cached_source import KeptSource, placed
from osler.runs.run import config_of, protocol_in
from osler.store.canonical import encode
from osler.store.export import export_lines, read_configuration
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.bench.replay import check_replay
from osler.studies.bench.run_card import Json, card_hash, card_of_runs
from osler.studies.bench.shared_run import CASES, SharedRun, read_back
from osler.studies.bench.submission import (
    CARD,
    PAGE,
    SUBMISSION,
    Submission,
    files_in,
    html,
    line_hashes,
    read_submission,
)
from osler.studies.bench.verification import Verification

_OURS: Final = re.compile(r"library|generated:\d{1,9}:\d{1,15}(?::misspecified)?")
"""The sources of cases that are part of Osler, and name no file."""
_OWN_FORMATS: Final = frozenset({"auto", "osler"})
_UNREADABLE: Final = (
    *(OslerError, OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
    *(RecursionError, StopIteration, AssertionError, SQLAlchemyError),
)
"""What reading a file raises that is not what was written."""
_MOST_BYTES: Final = 64_000_000
"""The largest description and card that are read."""
_MOST_CASES: Final = 100_000
"""The most cases that are looked through for those that a run plays."""
_FOLDERS: Final = ("images", "rubrics")
"""The fields of a configuration that name a folder, which is not followed."""


def verify(folder: Path) -> Verification:
    """Verify a submission. Raises BadInput for a folder that holds none, or more than files."""
    _check_kinds(folder)
    submission, result = read_submission(folder), Verification()
    _check_files(folder, submission, result)
    try:
        cases = _cases(folder, submission, result)
    except _UNREADABLE as error:
        result.fail("case", CASES, "cases", _words(error))
        return result
    with tempfile.TemporaryDirectory() as passing, open_store(Path(passing) / "verify.db") as store:
        runs = []
        for shared in submission.runs:
            try:
                run = read_back(shared, folder, store, cases)
                _check_run(run, shared, folder, store, submission, result)
                runs.append((run, shared))
            except _UNREADABLE as error:
                result.fail("run", shared.name, "a run that can be read", _words(error))
        if len(runs) == len(submission.runs):
            try:
                card = card_of_runs(runs, store, folder, submission.statement, submission.prices)
                _check_card(folder, card, result)
            except _UNREADABLE as error:
                result.fail("card", CARD, "a card that can be computed again", _words(error))
    return result


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _check_kinds(folder: Path) -> None:
    """Raise BadInput for anything but files in the folder and in `runs`: a link, a pipe, another folder; and
    for a description or a card that is too large."""
    for root, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(root) / name
            about = path.lstat()
            within = path.relative_to(folder).as_posix()
            if not (stat.S_ISREG(about.st_mode) or (stat.S_ISDIR(about.st_mode) and within == "runs")):
                raise BadInput("is neither a file nor the folder of runs", where=str(path))
            if within in (SUBMISSION, CARD) and about.st_size > _MOST_BYTES:
                raise BadInput(f"is larger than {_MOST_BYTES // 1_000_000} MB", where=str(path))


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


def _cases(folder: Path, submission: Submission, result: Verification) -> dict[str, str]:
    """The cases of a submission by the hash of their content, which is computed from what they hold."""
    path, bodies = folder / CASES, dict[str, str]()
    if not path.is_file():
        return bodies
    models = {_model_of(folder / run.export) for run in submission.runs} - {None}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        hashes = [case_hash for model in models if model and (case_hash := _hash_by(model, line))]
        bodies |= dict.fromkeys(hashes, line)
        if not hashes:
            result.fail("case", f"{CASES}, line {number}", "a case", "cannot be read")
    result.count("case", len(bodies))
    return bodies


def _model_of(export: Path) -> type[BaseModel] | None:
    """The model of the cases of an export; `None` if it cannot be read, which reading it reports."""
    try:
        return config_type(protocol_in(read_configuration(export))).model
    except _UNREADABLE:
        return None


def _hash_by(model: type[BaseModel], line: str) -> str:
    try:
        return str(model.model_validate_json(line).content_hash)  # type: ignore[attr-defined]  # every case has one
    except ValueError:
        return ""


def _check_run(
    run: RunInfo, shared: SharedRun, folder: Path, store: Store, submission: Submission, result: Verification
) -> None:
    episode = submission.episodes.get(shared.name, {})
    found = dict(line_hashes(folder / shared.export))
    for ordinal in sorted(episode.keys() | found.keys()):
        where = f"{shared.name}:{ordinal + 1}"
        result.compare("episode", where, episode.get(ordinal, "not listed"), found.get(ordinal, "missing"))
    left_out = _check_export(run, folder / shared.export, store, result)
    config = config_of(run)
    configuration = run.manifest["configuration"]
    if (configuration.get("osler"), configuration.get("knowledge")) != (osler.__version__, fingerprint()):
        here = f"Osler {osler.__version__}, knowledge {fingerprint()}"
        theirs = f"Osler {configuration.get('osler')}, knowledge {configuration.get('knowledge')}"
        result.fail("version", shared.name, theirs, here)
        return
    source = _source(config, shared, configuration, result)
    if source is not None:
        _check_configuration(config, source, configuration, shared.name, result)
        _check_places(config, source, shared, list(found), result)
    else:
        cases = Counter((row.case_hash, row.ordinal % config.repeats) for row in store.episodes(run.id))
        twice = [one for one, times in cases.items() if times > 1]
        result.compare("played twice", shared.name, [], twice)
    result.compare("ended", shared.name, shared.planned, len(found) + left_out)
    _check_models(config, shared, folder, result)
    asyncio.run(check_replay(run, config, store, source, result))


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
            where = f"{shared.name}:{ordinal + 1}"
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
                result.fail("export", f"{run.name}, line {number}", said[:200], found[:200])
    result.count("export")
    if left_out:
        result.unchecked.append(f"{run.name}: {left_out} encounters are left out, on the submitter's word")
    return max(0, left_out)


def _pairs(said: Iterable[str], found: Iterator[str]) -> Iterator[tuple[str, str]]:
    for line in said:
        yield line.rstrip("\n"), next(found, "no such line")
    yield from (("no such line", line) for line in found)


def _source(
    config: Config, shared: SharedRun, configuration: Mapping[str, Any], result: Verification
) -> Source[Any] | None:
    """The cases of a run, if they are part of Osler; a file that it names is not opened."""
    folders = [name for name in _FOLDERS if getattr(config, name, None)]
    if folders or config.format not in _OWN_FORMATS or not _OURS.fullmatch(config.cases):
        result.unchecked.append(
            f"{shared.name}: its cases are no part of Osler, so their name, their number and which of them"
            " were left out are as submitted"
        )
        return None
    source = KeptSource(config.opened())
    looked_at = min(source.size or 0, config.limit or _MOST_CASES + 1)
    if (config.only or config.left_out) and looked_at > _MOST_CASES:
        raise BadInput("these are too many cases to look through", where=config.cases)
    result.count("cases")
    return source


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
    page = folder / PAGE
    if page.is_file():
        result.compare("page", PAGE, sha256_of(page), sha256(html(found).encode()).hexdigest())


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
