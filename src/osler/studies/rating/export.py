"""Export for rating: a random sample of blinded episodes, one sheet per rater, and the unblinding key."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from osler.errors import BadInput
from osler.files import write_whole
from osler.judging.scores import UNSCORED
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored_cases
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.rating.blind import fingerprint, hide, reference_text, transcript_text
from osler.studies.rating.guide import guide_text
from osler.studies.rating.scales import Scale
from osler.studies.rating.sheet import sheet_of
from osler.studies.rating.unblinding_key import Behind, Key, key_text

KEY: Final = "key.json"
FOR_RATERS: Final = "for-raters"
GUIDE: Final = "how-to-rate.txt"
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, as a spreadsheet program takes MAR-12 or 1E5 for a date or a number."""

Place = tuple[RunInfo, int]


class Wanted(NamedTuple):
    """The requested sample: numbers of episodes and raters; `overlap` go to every rater (`None`: all)."""

    n: int = 50
    seed: int = 0
    raters: int = 2
    overlap: int | None = None


class Exported(NamedTuple):
    """The unblinding key, and the files in the order they were written."""

    key: Key
    files: list[Path]


def write_export(
    store: Store, runs: Sequence[RunInfo], scale: Scale, wanted: Wanted, folder: Path
) -> Exported:
    """Draw, blind and write. Raises BadInput if there is nothing to rate or a file would be overwritten.

    The same runs, scale and request give the same bytes.
    """
    store = for_reader(store, "rating")
    runs = sorted({run.id: run for run in runs}.values(), key=lambda run: run.name)
    every = [place for run in runs for place in _eligible(store, run)]
    if not every:
        raise BadInput(
            "no episode of these runs can be rated",
            where=", ".join(run.name for run in runs),
            hint="episodes that have not ended, or that failed in the simulation, are left out",
        )
    rng = Random(f"osler rate {wanted.seed}")  # noqa: S311 - a sample, no secret
    drawn = rng.sample(every, min(wanted.n, len(every)))
    case_of, hidden = stored_cases(store), hide(run.manifest for run in runs)
    behind, shown = list[Behind](), list[tuple[str, str]]()
    for run, ordinal in drawn:
        episode, trace, judgements = store.record(run.id, ordinal)
        case = case_of(episode.case_hash)
        transcript = transcript_text(case, trace, protocol_of(run), hidden)
        shown.append((transcript, reference_text(case, scale.reference, hidden)))
        behind.append(
            Behind(
                run=run.name,
                ordinal=ordinal,
                key=episode.key,
                case=episode.case_hash,
                transcript=fingerprint(transcript),
                graders={found.grader: found.version for found in judgements},
            )
        )
    batch = _batch(wanted.seed, scale, behind)
    ids = [f"{batch}-{number:03}" for number in range(1, len(drawn) + 1)]
    sheets = {
        f"{batch.lower()}-{number + 1}": tuple(rng.sample([ids[place] for place in mine], len(mine)))
        for number, mine in enumerate(shares(len(drawn), wanted.raters, wanted.overlap))
    }
    key = Key(
        batch=batch,
        scale=scale,
        runs=tuple(run.name for run in runs),
        seed=wanted.seed,
        eligible=len(every),
        episodes=dict(zip(ids, behind, strict=True)),
        sheets=sheets,
    )
    texts = dict(zip(ids, shown, strict=True))
    written = {f"{FOR_RATERS}/{GUIDE}": guide_text(scale)}
    for number, (rater, mine) in enumerate(sheets.items(), 1):
        episodes = [(name, *texts[name]) for name in mine]
        written[f"{FOR_RATERS}/rater-{number}.csv"] = sheet_of(scale, rater, episodes)
    return Exported(key, _write(folder, {**written, KEY: key_text(key)}))


def shares(n: int, raters: int, overlap: int | None) -> list[list[int]]:
    """Deal n episodes to the raters: the first `overlap` to all, the others in turn."""
    common = n if overlap is None else min(overlap, n)
    mine = [list(range(common)) for _ in range(raters)]
    for place in range(common, n):
        mine[(place - common) % raters].append(place)
    return mine


def _eligible(store: Store, run: RunInfo) -> list[Place]:
    return [(run, row.ordinal) for row in store.episodes(run.id) if row.status not in UNSCORED]


def _batch(seed: int, scale: Scale, behind: Sequence[Behind]) -> str:
    """Return five letters that identify an export and reveal nothing about its contents."""
    said = [str(seed), scale.full_version, *(f"{one.run}:{one.ordinal}:{one.key}" for one in behind)]
    number = int.from_bytes(blake2b("\x1f".join(said).encode(), digest_size=8).digest(), "big")
    letters = []
    for _ in range(5):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)


def _write(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Write all files, or none if one already exists, as it may hold a rater's work."""
    paths = {folder / name: text for name, text in texts.items()}
    for path in [*paths, folder / FOR_RATERS]:
        if os.path.lexists(path):
            raise BadInput("already exists", where=str(path), hint="give another folder with --out")
    there = folder.exists()
    try:
        for path, text in paths.items():
            write_whole(path, text)
    except BadInput:
        for path in paths:
            with suppress(OSError):
                path.unlink()
        for made in (folder / FOR_RATERS, *(() if there else (folder,))):
            with suppress(OSError):
                made.rmdir()
        raise
    return list(paths)
