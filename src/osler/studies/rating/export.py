"""Export for rating: a random sample of blinded episodes, one sheet per rater, and the unblinding key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, TypeVar

from osler.cases.model import Case
from osler.cases.pictures import pictures_of
from osler.cases.rubrics.model import Rubric
from osler.cases.scenarios.model import Scenario
from osler.core.pictures import Picture
from osler.core.protocol import Protocol
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
from osler.studies.rating.sheet import SheetRow, episode_of
from osler.studies.rating.sheet import sheet_of as table_of
from osler.studies.rating.unblinding_key import Behind, Key, key_text
from osler.studies.rubric_judging import rubric_of_each

KEY: Final = "key.json"
FOR_RATERS: Final = "for-raters"
GUIDE: Final = "how-to-rate.txt"
PICTURES: Final = "pictures"
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, as a spreadsheet program takes MAR-12 or 1E5 for a date or a number."""

T = TypeVar("T")
Place = tuple[RunInfo, int]
RubricOf = Callable[[str], Rubric | None]
"""The rubric given for a case, by the case's id."""


class SampleRequest(NamedTuple):
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
    request: SampleRequest,
    folder: Path,
    rubrics: Sequence[Rubric] = (),
) -> Exported:
    """Draw episodes, blind them, and write the sheets and the key.

    Raises BadInput if there is nothing to rate, the scale does not fit, the runs are of several protocols, or
    a file would be overwritten.

    With `rubrics`, of a scale for items, the episodes are drawn whose case has one of them. The same runs,
    scale and request give the same bytes.
    """
    protocol, store = check_one_protocol(*runs), for_reader(store, "rating")
    scale.check_fits(protocol, rubrics=bool(rubrics))
    if rubrics:
        _check_rubrics_fit(scale, protocol)
    given = rubric_of_each(rubrics, any_case=False)
    runs = sorted({run.id: run for run in runs}.values(), key=lambda run: run.name)
    every = _rateable(store, runs, given if rubrics else None)
    rng = Random(f"osler rate {request.seed}")  # noqa: S311 - a sample, no secret
    blind = _Blind(store, runs, protocol, scale, given)
    drawn = [blind(run, ordinal) for run, ordinal in rng.sample(every, min(request.n, len(every)))]
    batch = _batch(request.seed, scale, [one.behind[0] for one in drawn if one.behind])
    episodes = [f"{batch}-{number:03}" for number in range(1, len(drawn) + 1)]
    ids = [_ids(name, scale, len(one.rows)) for name, one in zip(episodes, drawn, strict=True)]
    key = Key(
        batch=batch,
        scale=scale,
        runs=tuple(run.name for run in runs),
        seed=request.seed,
        eligible=len(every),
        episodes=_by_id(ids, [one.behind for one in drawn]),
        rubrics={one.case: one.rubric for one in drawn if one.rubric is not None},
        sheets=_dealt(batch, ids, request, rng),
    )
    images = _images(zip(episodes, (one.pictures for one in drawn), strict=True))
    files = {f"{FOR_RATERS}/{GUIDE}": guide_text(scale, protocol, pictured=bool(images)).encode()}
    rows = _by_id(ids, [one.rows for one in drawn])
    for number, (rater, names) in enumerate(key.sheets.items(), 1):
        table = table_of(scale, rater, [rows[name]._replace(id=name) for name in names])
        files[f"{FOR_RATERS}/rater-{number}.csv"] = table.encode()
    return Exported(key, _write(folder, {**files, **images, KEY: key_text(key).encode()}))


def _check_rubrics_fit(scale: Scale, protocol: Protocol) -> None:
    """Raise BadInput for a scale or a protocol whose episodes are not rated by rubrics of the command."""
    if scale.each == "item" and not issubclass(protocol.config.model, Scenario):
        return
    what = "has no items" if scale.each != "item" else "is for stations, which have rubrics of their own"
    raise BadInput(f"the scale {scale.name} {what}", where="--rubric", hint="leave it out")


def _rateable(store: Store, runs: Sequence[RunInfo], given: RubricOf | None) -> list[Place]:
    """The episodes that can be rated; if rubrics are `given`, those whose case has one. Raises BadInput if
    there are none."""
    every = [
        (run, row.ordinal)
        for run in runs
        for row in store.episodes(run.id)
        if row.status not in UNSCORED and (given is None or given(row.case_id))
    ]
    if every:
        return every
    raise BadInput(
        "no episode of these runs can be rated",
        where=", ".join(run.name for run in runs),
        hint="episodes that have not ended, or that failed in the simulation, are left out"
        + (", and so are those whose case has none of the rubrics" if given is not None else ""),
    )


class _Blinded(NamedTuple):
    """A drawn episode as raters see it: its rows, what is behind each, and the pictures of its case; `rubric`
    is the one given for the case."""

    case: str
    rows: list[SheetRow]
    behind: list[Behind]
    pictures: Mapping[str, Picture]
    rubric: Rubric | None


class _Blind:
    """Turns episodes into rows that do not say who played in them."""

    def __init__(
        self, store: Store, runs: Sequence[RunInfo], protocol: Protocol, scale: Scale, given: RubricOf
    ) -> None:
        self._store, self._protocol, self._scale, self._given = store, protocol, scale, given
        self._case_of = stored(store, protocol.config.model)
        self._hidden = hide(run.manifest for run in runs)

    def __call__(self, run: RunInfo, ordinal: int) -> _Blinded:
        episode, trace, judgements = self._store.record(run.id, ordinal)
        case = self._case_of(episode.case_hash)
        by_item = self._scale.each == "item"
        transcript = transcript_text(case, trace, self._protocol, self._hidden, turns=by_item)
        whole = SheetRow("", transcript, reference_text(case, self._scale.reference, self._hidden))
        given = self._given(episode.case_id) if by_item else None
        rubric = (given or sheet_of(case)) if by_item else None
        shown = item_rows(rubric, whole) if rubric else {None: whole}
        graders = {one.grader: one.version for one in judgements}
        behind = [
            Behind(
                run=run.name,
                ordinal=ordinal,
                key=episode.key,
                case=episode.case_hash,
                item=item,
                transcript=fingerprint(row.item if item else row.transcript),
                graders=graders,
            )
            for item, row in shown.items()
        ]
        pictures = pictures_of(case) if isinstance(case, Case) else {}
        return _Blinded(episode.case_hash, list(shown.values()), behind, pictures, given)


def _by_id(ids: Iterable[Iterable[str]], values: Iterable[Iterable[T]]) -> dict[str, T]:
    """The values of all episodes' rows by their blind ids."""
    return dict(zip(chain(*ids), chain(*values), strict=True))


def _dealt(
    batch: str, ids: Sequence[Sequence[str]], request: SampleRequest, rng: Random
) -> dict[str, tuple[str, ...]]:
    """The blind ids of each rater's rows by the rater's code, the episodes in an order of the rater's own."""
    return {
        f"{batch.lower()}-{number}": tuple(chain(*rng.sample([ids[place] for place in places], len(places))))
        for number, places in enumerate(shares(len(ids), request.raters, request.overlap), 1)
    }


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
