"""What a run will take on disk, measured on its first episodes, and whether there is room for it."""

from __future__ import annotations

import asyncio
import shutil
import zlib
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import CaseSource, open_source
from osler.judging.judge import judge
from osler.judging.scores import judgement_json
from osler.store.size import PAGES, ROW, episode_bytes
from osler.studies import doctors
from osler.studies.batch import chosen
from osler.studies.build import BUILT_IN, NONE, Casting, Factory, RunConfig
from osler.studies.execute import Episode, play

WEIGHED: Final = 10
_KEYS: Final = "0" * 64  # an episode's key and its case's hash


class DiskForecast(NamedTuple):
    """About how many bytes a run's episodes take on average, and all of it with its cases.

    Where a model or a person sits, a built-in player was weighed in its place; their words may be longer.
    """

    episodes: int
    per_episode: int
    total: int


def disk_forecast(
    config: RunConfig, source: CaseSource | None = None, *, episodes: int | None = None
) -> DiskForecast:
    """Weigh the first episodes of a run, played by built-in players. Asks no model and writes nothing.

    `episodes` is how many the run has, where that has been counted. Raises BadInput for cases that are not
    there and players that nobody knows.
    """
    source = source or open_source(config.cases, config.format)
    stand_in = _stand_ins(config)
    casting = Casting(stand_in)
    played, bodies = 0, 0
    weighed = [case for _, case in islice(chosen(source, config), WEIGHED)]
    for case in weighed:
        played += _weigh(case, stand_in, casting)
        bodies += len(zlib.compress(case.model_dump_json().encode("utf-8", "surrogatepass"), 1)) + ROW
    if not weighed:
        return DiskForecast(0, 0, 0)
    if episodes is None:
        episodes = config.repeats * _count(source, config)
    per_episode, per_case = played / len(weighed), bodies / len(weighed) * PAGES
    total = episodes * (per_episode + per_case / config.repeats)
    return DiskForecast(episodes, round(per_episode), round(total))


def _count(source: CaseSource, config: RunConfig) -> int:
    if source.size is not None and config.only is None:
        return min(source.size, config.limit or source.size)
    return sum(1 for _ in chosen(source, config))


def free_bytes(file: Path | None) -> int | None:
    """What is free on the disk of a store's file, there or to be; `None` for a store on a server."""
    if file is None:
        return None
    folder = next((one for one in file.absolute().parents if one.is_dir()), Path("/"))
    return shutil.disk_usage(folder).free


def size_words(count: int) -> str:
    """A number of bytes for people: "850 bytes", "12 kB", "3.4 GB"."""
    size, unit = float(count), "bytes"
    for bigger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, bigger
    return f"{size:,.0f} {unit}" if size >= 10 or unit == "bytes" else f"{size:.1f} {unit}"


def _stand_ins(config: RunConfig) -> RunConfig:
    """The same run with a built-in player wherever one has to be asked for."""
    known: Mapping[str, Mapping[str, Factory]] = {str(seat): names for seat, names in BUILT_IN.items()}
    stands: dict[str, str] = {}
    for seat, full in config.players().items():
        name = doctors.inside(full) if seat == "doctor" else full
        if name not in known[seat] or name == "scripted":
            stands[seat] = "baseline" if "baseline" in known[seat] else NONE
    doctor = stands.get("doctor", doctors.inside(config.doctor))
    stands["doctor"] = doctors.with_inside(config.doctor, doctor)
    settings = config.settings
    if stands.get("describer") == NONE:  # without eyes a picture has to come with its report
        settings = settings.model_copy(update={"pictures": "reported"})
    return config.model_copy(update={**stands, "settings": settings, "say": None})


def _weigh(case: Case, config: RunConfig, casting: Casting) -> int:
    episode = Episode(0, case, persona(config.persona), config.settings, f"{config.seed}/0")
    trace = asyncio.run(play(episode, casting.cast(case)))
    judged = judge(case, trace, options_shown=config.settings.options == "shown")
    return episode_bytes(trace, judgement_json(judged), _KEYS)
