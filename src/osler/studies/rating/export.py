"""Export for rating: a random sample of blinded episodes, one sheet per rater, and the unblinding key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from osler.cases.model import Case
from osler.cases.pictures import pictures_of
from osler.cases.rubrics.model import Rubric
from osler.cases.scenarios.model import Scenario
from osler.core.pictures import Picture
from osler.errors import BadInput
from osler.files import write_bytes
from osler.judging.person_sheet import sheet_of
from osler.judging.scores import UNSCORED
from osler.pictures import draw, media_type
from osler.runs.stored_case import stored
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.comparable import check_one_protocol
from osler.studies.rating.blind import fingerprint, hide, reference_text, transcript_text
from osler.studies.rating.guide import guide_text
from osler.studies.rating.item_rows import item_rows
from osler.studies.rating.scales import Scale
from osler.studies.rating.sheet import Shown, episode_of
from osler.studies.rating.sheet import sheet_of as table_of
from osler.studies.rating.unblinding_key import Behind, Key, key_text
from osler.studies.rubric_judging import rubric_of_each

KEY: Final = "key.json"
FOR_RATERS: Final = "for-raters"
GUIDE: Final = "how-to-rate.txt"
PICTURES: Final = "pictures"
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

    @property
    def drawn(self) -> int:
        """The number of episodes on the sheets together."""
        return len({episode_of(name) for name in self.key.episodes})


def write_export(
    store: Store,
    runs: Sequence[RunInfo],
    scale: Scale,
    wanted: Wanted,
    folder: Path,
    rubrics: Sequence[Rubric] = (),
) -> Exported:
    """Draw, blind and write. Raises BadInput if there is nothing to rate, the scale does not fit, the runs
    are of several protocols, or a file would be overwritten.

    With `rubrics`, of a scale for items, the episodes are drawn whose case has one of them. The same runs,
    scale and request give the same bytes.
    """
    protocol, store = check_one_protocol(*runs), for_reader(store, "rating")
    scale.check_fits(protocol, rubrics=bool(rubrics))
    if rubrics and (scale.each != "item" or issubclass(protocol.config.model, Scenario)):
        what = "has no items" if scale.each != "item" else "is for stations, which have rubrics of their own"
        raise BadInput(f"the scale {scale.name} {what}", where="--rubric", hint="leave it out")
    given = rubric_of_each(rubrics, any_case=False)
    runs = sorted({run.id: run for run in runs}.values(), key=lambda run: run.name)
    every = [
        (run, row.ordinal)
        for run in runs
        for row in store.episodes(run.id)
        if row.status not in UNSCORED and (not rubrics or given(row.case_id))
    ]
    if not every:
        raise BadInput(
            "no episode of these runs can be rated",
            where=", ".join(run.name for run in runs),
            hint="episodes that have not ended, or that failed in the simulation, are left out"
            + (", and so are those whose case has none of the rubrics" if rubrics else ""),
        )
    rng = Random(f"osler rate {wanted.seed}")  # noqa: S311 - a sample, no secret
    drawn = rng.sample(every, min(wanted.n, len(every)))
    case_of, hidden = stored(store, protocol.config.model), hide(run.manifest for run in runs)
    own: dict[str, Rubric] = {}
    behind, rows, pictures = list[list[Behind]](), list[list[Shown]](), list[dict[str, Picture]]()
    for run, ordinal in drawn:
        episode, trace, judgements = store.record(run.id, ordinal)
        case = case_of(episode.case_hash)
        by_item = scale.each == "item"
        transcript = transcript_text(case, trace, protocol, hidden, turns=by_item)
        whole = Shown("", transcript, reference_text(case, scale.reference, hidden))
        if by_item and (found := given(episode.case_id)) is not None:
            own[episode.case_hash] = found
        rubric = (own.get(episode.case_hash) or sheet_of(case)) if by_item else None
        shown = item_rows(rubric, whole) if rubric else {None: whole}
        rows.append(list(shown.values()))
        pictures.append(pictures_of(case) if isinstance(case, Case) else {})
        behind.append(
            [
                Behind(
                    run=run.name,
                    ordinal=ordinal,
                    key=episode.key,
                    case=episode.case_hash,
                    item=item,
                    transcript=fingerprint(row.item if item else row.transcript),
                    graders={found.grader: found.version for found in judgements},
                )
                for item, row in shown.items()
            ]
        )
    batch = _batch(wanted.seed, scale, [each for one in behind for each in one[:1]])
    ids = [_ids(f"{batch}-{number:03}", scale, len(one)) for number, one in enumerate(rows, 1)]
    sheets = {
        f"{batch.lower()}-{number + 1}": tuple(
            name for each in rng.sample([ids[place] for place in mine], len(mine)) for name in each
        )
        for number, mine in enumerate(shares(len(drawn), wanted.raters, wanted.overlap))
    }
    key = Key(
        batch=batch,
        scale=scale,
        runs=tuple(run.name for run in runs),
        seed=wanted.seed,
        eligible=len(every),
        episodes=dict(zip(chain(*ids), chain(*behind), strict=True)),
        rubrics=own,
        sheets=sheets,
    )
    texts = {name: row._replace(id=name) for name, row in zip(chain(*ids), chain(*rows), strict=True)}
    images = _images([(episode_of(names[0]), found) for names, found in zip(ids, pictures, strict=True)])
    written = {f"{FOR_RATERS}/{GUIDE}": guide_text(scale, protocol, pictured=bool(images)).encode()}
    for number, (rater, mine) in enumerate(sheets.items(), 1):
        sheet = table_of(scale, rater, [texts[name] for name in mine])
        written[f"{FOR_RATERS}/rater-{number}.csv"] = sheet.encode()
    return Exported(key, _write(folder, {**written, **images, KEY: key_text(key).encode()}))


def shares(n: int, raters: int, overlap: int | None) -> list[list[int]]:
    """Deal n episodes to the raters: the first `overlap` to all, the others in turn."""
    common = n if overlap is None else min(overlap, n)
    mine = [list(range(common)) for _ in range(raters)]
    for place in range(common, n):
        mine[(place - common) % raters].append(place)
    return mine


def _images(shown: Iterable[tuple[str, Mapping[str, Picture]]]) -> dict[str, bytes]:
    """Return the pictures of the cases as files, named after the blind id of the episode."""
    return {
        f"{FOR_RATERS}/{PICTURES}/{name}-{ident}.{media_type(picture).removeprefix('image/')}": draw(picture)
        for name, pictures in shown
        for ident, picture in pictures.items()
    }


def _ids(episode: str, scale: Scale, rows: int) -> list[str]:
    """Return the blind ids of an episode's rows."""
    return [f"{episode}-{row:02}" for row in range(1, rows + 1)] if scale.each == "item" else [episode]


def _batch(seed: int, scale: Scale, behind: Sequence[Behind]) -> str:
    """Return five letters that identify an export and reveal nothing about its contents."""
    said = [str(seed), scale.full_version, *(f"{one.run}:{one.ordinal}:{one.key}" for one in behind)]
    number = int.from_bytes(blake2b("\x1f".join(said).encode(), digest_size=8).digest(), "big")
    letters = []
    for _ in range(5):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)


def _write(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write all files, or none if one already exists, as it may hold a rater's work."""
    paths = {folder / name: raw for name, raw in contents.items()}
    for path in [*paths, folder / FOR_RATERS]:
        if os.path.lexists(path):
            raise BadInput("already exists", where=str(path), hint="give another folder with --out")
    there = folder.exists()
    try:
        for path, raw in paths.items():
            write_bytes(path, raw)
    except BadInput:
        for path in paths:
            with suppress(OSError):
                path.unlink()
        for made in (folder / FOR_RATERS / PICTURES, folder / FOR_RATERS, *(() if there else (folder,))):
            with suppress(OSError):
                made.rmdir()
        raise
    return list(paths)
