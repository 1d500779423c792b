"""The cases of a submission: those that it holds, and those that are part of Osler and need not be shared."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from osler.core.config import Config, config_type
from osler.core.source import Source
from osler.errors import BadInput
from osler.runs.cached_source import KeptSource, placed
from osler.runs.run import protocol_in
from osler.store.export import read_configuration
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.studies.bench.shared_run import CASES
from osler.studies.bench.submission import Submission
from osler.studies.bench.verification import UNREADABLE, Verification

_OURS: Final = re.compile(r"library|generated:\d{1,9}:\d{1,15}(?::misspecified)?")
"""The sources of cases that are part of Osler, and name no file."""
_OWN_FORMATS: Final = frozenset({"auto", "osler"})
_MOST_CASES: Final = 100_000
"""The most cases that are looked through for those that a run plays."""
_FOLDERS: Final = ("images", "rubrics")
"""The fields of a configuration that name a folder, which is not followed."""
_NOT_OURS: Final = (
    "its cases are no part of Osler, so their name, their number and which of them"
    " were left out are as submitted"
)


def cases_in(folder: Path, submission: Submission, result: Verification) -> dict[str, str]:
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
    except UNREADABLE:
        return None


def _hash_by(model: type[BaseModel], line: str) -> str:
    try:
        return str(model.model_validate_json(line).content_hash)  # type: ignore[attr-defined]  # every case has one
    except ValueError:
        return ""


def own_source(config: Config, name: str, result: Verification) -> Source[Any] | None:
    """The cases of the run `name`, if they are part of Osler; a file that it names is not opened."""
    folders = [field for field in _FOLDERS if getattr(config, field, None)]
    if folders or config.format not in _OWN_FORMATS or not _OURS.fullmatch(config.cases):
        result.unchecked.append(f"{name}: {_NOT_OURS}")
        return None
    source = KeptSource(config.opened())
    looked_at = min(source.size or 0, config.limit or _MOST_CASES + 1)
    if (config.only or config.left_out) and looked_at > _MOST_CASES:
        raise BadInput("these are too many cases to look through", where=config.cases)
    result.count("cases")
    return source


def own_case(source: Source[Any], config: Config, row: EpisodeRow) -> Any:
    """The case of an encounter, from the source that is part of Osler. Raises BadInput if it was played on
    another."""
    case = config.ready(placed(source, config).get(row.ordinal // config.repeats))
    if case.content_hash != row.case_hash:
        raise BadInput(f"it was played on another case: {row.case_hash} and not {case.content_hash}")
    return case


def complete_cases(
    run: RunInfo, config: Config, store: Store, source: Source[Any] | None, result: Verification
) -> None:
    """Store the cases of a run that were not shared, from Osler's own; note those that are missing."""
    missing = {row.case_hash: row for row in store.episodes(run.id) if store.case(row.case_hash) is None}
    if not missing:
        return
    case_of = _lookup(source, config)
    with store.claims(run.id) as claims:
        with store.writer(run.id, claims.token) as writer:
            for case_hash, row in missing.items():
                if (body := case_of(row)) is not None:
                    writer.case(case_hash, body)
                else:
                    result.fail("case", f"{run.name}:{row.ordinal}", case_hash, "missing")
        claims.leave("done")


def _lookup(source: Source[Any] | None, config: Config) -> Callable[[EpisodeRow], str | None]:
    def body_of(row: EpisodeRow) -> str | None:
        try:
            return None if source is None else str(own_case(source, config, row).model_dump_json())
        except UNREADABLE:
            return None

    return body_of
