"""The disk space forecast of a run, measured on its first episodes, and the space available."""

from __future__ import annotations

import asyncio
import shutil
import zlib
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.core.config import Config
from osler.core.episode import Episode
from osler.core.source import Source
from osler.players.casting import Casting, casting_of
from osler.runs.batch import chosen
from osler.store.size import PAGES, ROW, episode_bytes

WEIGHED: Final = 10
_KEYS: Final = "0" * 64  # an episode's key and its case's hash


class DiskForecast(NamedTuple):
    """The estimated size in bytes of a run: per episode on average, and in total with its cases.

    For a model or a person, a built-in player was measured in its place; their replies may be longer.
    """

    episodes: int
    per_episode: int
    total: int


def disk_forecast(
    config: Config, source: Source[Any] | None = None, *, episodes: int | None = None
) -> DiskForecast:
    """Measure the first episodes of a run, played by built-in players. Calls no model and writes nothing.

    `episodes` is the run's number of episodes, if already counted. Raises BadInput for missing cases and
    unknown players.
    """
    source = source or config.opened()
    stand_in = config.weighed()
    casting = casting_of(stand_in)
    casting.estimating = True
    played, bodies = 0, 0
    weighed = [case for _, case in islice(chosen(source, config), WEIGHED)]
    for case in weighed:
        episode = stand_in.episode(0, stand_in.ready(case), source)
        played += _weigh(episode, casting)
        bodies += len(zlib.compress(case.model_dump_json().encode("utf-8", "surrogatepass"), 1)) + ROW
    if not weighed:
        return DiskForecast(0, 0, 0)
    if episodes is None:
        episodes = episodes_of(config, source)
    per_episode, per_case = played / len(weighed), bodies / len(weighed) * PAGES
    total = episodes * (per_episode + per_case / config.repeats)
    return DiskForecast(episodes, round(per_episode), round(total))


def episodes_of(config: Config, source: Source[Any] | None = None) -> int:
    """The number of episodes of a run. Raises BadInput for missing cases."""
    source = source or config.opened()
    if source.size is not None and config.only is None and not config.left_out:
        return config.repeats * min(source.size, config.limit or source.size)
    return config.repeats * sum(1 for _ in chosen(source, config))


def free_bytes(file: Path | None) -> int | None:
    """Return the free bytes on the disk of a store's file, which need not exist yet; `None` for a server."""
    if file is None:
        return None
    folder = next((one for one in file.absolute().parents if one.is_dir()), Path("/"))
    return shutil.disk_usage(folder).free


def size_words(count: int) -> str:
    """Format a number of bytes: "850 bytes", "12 kB", "3.4 GB"."""
    size, unit = float(count), "bytes"
    for bigger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, bigger
    return f"{size:,.0f} {unit}" if size >= 10 or unit == "bytes" else f"{size:.1f} {unit}"


def _weigh(episode: Episode, casting: Casting) -> int:
    trace = asyncio.run(episode.play(casting.cast(episode.case)))
    return episode_bytes(trace, episode.judged(trace)[2], _KEYS)
