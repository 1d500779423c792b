"""The public Python API: the functions of `import osler`, besides the types for writing plug-ins.

Everything here works in a script and in a notebook, where an event loop is already running. Players are named
as on the command line: "baseline", "oracle", "model:NAME" of an osler.toml, "scripted:FILE",
"python:MODULE:NAME". `docs/python.md` has an example of each.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic_core import from_json

from osler.core.composite import AnyPlayer
from osler.core.config import Config, config_type
from osler.core.factory import PlayerRequest
from osler.core.permitted import Use
from osler.core.registry import protocol_named
from osler.core.source import Source
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.models.config import CacheMode
from osler.models.settings import setting_of
from osler.players.plugged import made
from osler.runs import run as runs
from osler.runs.judging import JudgeOptions, judge_by_name
from osler.runs.seating import ModelOptions, OpenedCast, keep_budget, open_cast
from osler.runs.stored_case import stored
from osler.runs.totals import Totals, totals
from osler.store.export import export_run
from osler.store.permitted_store import for_use
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.compare import Comparison
from osler.studies.compare import compare as compare_runs

T = TypeVar("T")
StoreLike = Store | str | PathLike[str] | None
Player = str | AnyPlayer | Callable[[PlayerRequest], AnyPlayer]
"""A player for a seat: its name, a player object, or a factory that builds one for a case."""
_GIVEN = "given"


class PlayedEpisode(NamedTuple):
    """One stored episode: its number, case, status and trace, and the judgements as plain JSON by grader.

    >>> played = next(osler.run(limit=1).episodes())
    >>> played.case.id, played.status, sorted(played.judgements)
    ('cardiology-01', 'completed', ['baseline'])
    """

    ordinal: int
    case: Any
    status: str
    trace: Trace
    judgements: dict[str, Any]


class Run:
    """A stored run. `store` is opened for each query, so there is nothing to close.

    `name` is that of the run; "last" is the newest in the store. Raises BadInput if there is no such run.

        >>> run = osler.run(limit=2)
        >>> run.info.status, run.info.done, run.config.seed
        ('done', 2, 0)
        >>> len(list(osler.Run("osler.db", run.name).traces()))
        2
    """

    def __init__(self, store: StoreLike, name: str = "last") -> None:
        self._store = store
        with _opened(store, create=False) as opened:
            self.name = opened.run(name).name

    def __repr__(self) -> str:
        info = self.info
        return (
            f"<Run {self.name}: {runs.protocol_of(info).many}, {info.status}, {info.done} of {info.planned}>"
        )

    @property
    def info(self) -> RunInfo:
        """Its status, the numbers of planned and finished episodes, and its manifest."""
        with _opened(self._store, create=False) as store:
            return store.run(self.name)

    @property
    def config(self) -> Config:
        """Its configuration."""
        return runs.config_of(self.info)

    @property
    def totals(self) -> Totals:
        """The counts of its episodes by status, and every measure of its protocol with a 95 % interval."""
        with _opened(self._store, create=False) as store:
            return totals(store.run(self.name), store)

    def episodes(self, use: Use = "research") -> Iterator[PlayedEpisode]:
        """Yield its ended episodes in order, each with its trace and judgements. `use` is what they are read
        for: those whose people do not permit it are left out; your own are there for "practice"."""
        with _opened(self._store, create=False) as opened:
            store = for_use(opened, use)
            run = store.run(self.name)
            case_of = stored(store, runs.protocol_of(run).config.model)
            for row, trace, judgements in store.records(run.id):
                bodies = {one.grader: from_json(one.body) for one in judgements}
                yield PlayedEpisode(row.ordinal, case_of(row.case_hash), str(row.status), trace, bodies)

    def traces(self, use: Use = "research") -> Iterator[Trace]:
        """Yield the traces of its ended episodes in order; `use` as for `episodes`."""
        return (episode.trace for episode in self.episodes(use))

    def export(self, out: str | PathLike[str]) -> int:
        """Write its canonical export; return the number of episodes."""
        with _opened(self._store, create=False) as store:
            return export_run(store, store.run(self.name).id, Path(out))


def open_cases(cases: str = "library", protocol: str = "consultation", **fields: Any) -> Source[Any]:
    """Open the cases a protocol would play: `library`, `generated:N:SEED`, or a file or folder.

    `cases` names them as above; `protocol` and `fields` are as for `configure`. Raises BadInput for a source
    that cannot be read.

        >>> osler.open_cases().get(0).id
        'cardiology-01'
        >>> [case.id for case in osler.open_cases("generated:2:7")]
        ['made-7-0', 'made-7-1']
    """
    return configure(protocol, cases, **fields).opened()


def configure(protocol: str = "consultation", cases: str = "library", **fields: Any) -> Config:
    """Build a protocol's configuration; `fields` are its fields (persona, seed, repeats, limit ...).

    `protocol` is the name of the protocol; `cases` is the source of its cases, as for `open_cases`. Raises
    BadInput for an unknown protocol, and pydantic's ValidationError for an invalid field.

        >>> config = osler.configure("consultation", persona="anxious", seed=7)
        >>> config.persona, config.seed, config.doctor
        ('anxious', 7, 'baseline')
    """
    return config_type(protocol_named(protocol))(cases=cases, **fields)


def run(
    protocol: str = "consultation",
    cases: str = "library",
    *,
    seats: Mapping[str, Player] | None = None,
    store: StoreLike = None,
    concurrency: int = 16,
    config: str | PathLike[str] | None = None,
    cache: CacheMode = "off",
    token_budget: int | None = None,
    max_money: float | None = None,
    max_errors: int | None = None,
    model_settings: Mapping[str, Any] | None = None,
    keep_prompts: bool = False,
    **fields: Any,
) -> Run:
    """Play a protocol over cases, judge every episode as it ends, and store everything.

    `protocol` is the name of the protocol; `cases` is the source, as for `open_cases`; `fields` are the other
    fields of its configuration, as for `configure`. `seats` gives players by seat, each as a name, a player
    object or a factory. `store` is a path, a database URL or an open store, as for `open_store`;
    `concurrency` is the number of episodes played at once.
    `config` is the osler.toml that defines endpoints. `cache` is the use of the cache of answers;
    `token_budget` is the budget in tokens; `max_money` is that in the currency of the prices. `max_errors` is
    the number of episodes that faults may end: without it, an exception of a player that is no ValueError
    pauses the run. `model_settings` are those of the model under test ({"temperature": 0.2}), or with "NAME:"
    before one, of the endpoint NAME. `keep_prompts` stores whole prompts. An interrupted or paused run is
    returned as it is (`Run.info.status`); `resume` continues it. Raises BadInput before anything is played.

        >>> run = osler.run("consultation", "library", seats={"doctor": "null"}, limit=2, seed=7)
        >>> run.info.status, run.info.done
        ('done', 2)
        >>> correct = run.totals.measures["correct"]
        >>> correct.value, correct.n, correct.unscored
        (0.0, 2, 0)
    """
    wanted, given = _seated(configure(protocol, cases, **fields), seats or {})
    settings = tuple(
        setting_of(f"{name}={json.dumps(value)}") for name, value in (model_settings or {}).items()
    )
    options = ModelOptions(_path(config), cache, token_budget, max_money, max_errors, settings, keep_prompts)

    def play() -> str:
        with _opened(store) as opened:
            cast = _cast(wanted, given, options)
            source = runs.opened(cast.config)
            begun = runs.begin(cast.config, opened, cast.more, source, about=cast.about)
            runs.play(
                begun,
                opened,
                concurrency=concurrency,
                max_errors=max_errors,
                more=cast.more,
                around=cast.around,
                source=source,
            )
            return begun.name

    return Run(store, _outside_a_loop(play))


def resume(
    name: str = "last",
    *,
    seats: Mapping[str, Player] | None = None,
    store: StoreLike = None,
    concurrency: int = 16,
    config: str | PathLike[str] | None = None,
    cache: CacheMode = "off",
    token_budget: int | None = None,
    max_money: float | None = None,
    max_errors: int | None = None,
    retry_failed: bool = False,
) -> Run:
    """Continue a run where it stopped; nothing recorded is asked again.

    `name` is the run's name; "last" is the newest in the store. `seats` takes the players that were passed to
    `run` as objects: players given by name need not be repeated. The run's budget holds unless another is
    given, and includes what it has used so far. `retry_failed` goes on with episodes that faults ended, too.
    The other parameters are as for `run`. Raises BadInput if there is no such run, or an endpoint serves
    another model than before.

        >>> run = osler.run(limit=1)
        >>> osler.resume(run.name).info.status
        'done'
    """
    given = {seat: player for seat, player in (seats or {}).items() if not isinstance(player, str)}
    options = ModelOptions(_path(config), cache, token_budget, max_money, max_errors)

    def play() -> str:
        with _opened(store, create=False) as opened:
            result = opened.run(name)
            if retry_failed:
                runs.forget_faults(result, opened)
            cast = _cast(runs.config_of(result), given, options, resumed=(result, opened))
            keep_budget(result, opened, cast)
            runs.play(
                result,
                opened,
                concurrency=concurrency,
                max_errors=max_errors,
                more=cast.more,
                around=cast.around,
            )
            return result.name

    return Run(store, _outside_a_loop(play))


def judge(
    run: Run,
    name: str = "baseline",
    *,
    config: str | PathLike[str] | None = None,
    repeats: int = 1,
    same_endpoint_allowed: bool = False,
) -> Totals:
    """Judge every episode of a run from its trace, and return the measures by that judge.

    `run` is the run to judge. `name` is the protocol's first judge, another of its judges, a plug-in's, or
    `model:NAME` of an osler.toml (`config`), asked `repeats` times. Raises BadInput for an unknown judge, and
    for a model that played in the run, unless `same_endpoint_allowed`: then it only warns.

        >>> run = osler.run(limit=1)
        >>> correct = osler.judge(run, "baseline").measures["correct"]
        >>> correct.n, correct.unscored
        (1, 0)
    """
    models = ModelOptions(_path(config))
    options = JudgeOptions(name, repeats, same_endpoint_allowed=same_endpoint_allowed, models=models)

    def work() -> Totals:
        with _opened(run._store, create=False) as store:
            info = store.run(run.name)
            return totals(info, store, judge_by_name(info, store, options, warnings.warn).grader)

    return _outside_a_loop(work)


def compare(first: Run, second: Run, scores: Sequence[str] = ()) -> Comparison:
    """Compare two runs of one store on the worlds both have played: second minus first.

    `first` is the run that is subtracted, `second` is the other one. `scores` names measures of the protocol;
    without any, its headline is compared. Raises BadInput for an unknown measure.

        >>> nobody, baseline = osler.run(seats={"doctor": "null"}, limit=2), osler.run(limit=2)
        >>> headline = osler.compare(nobody, baseline).scores[0]
        >>> headline.score, headline.difference.first, headline.difference.n_pairs
        ('correct', 0.0, 2)
    """
    with _opened(first._store, create=False) as store:
        return compare_runs(store.run(first.name), store.run(second.name), store, scores)


def _seated(config: Config, seats: Mapping[str, Player]) -> tuple[Config, dict[str, Any]]:
    """The configuration with player names in its seats, and the players given as objects, by seat."""
    names = {seat: player if isinstance(player, str) else _GIVEN for seat, player in seats.items()}
    given = {seat: player for seat, player in seats.items() if not isinstance(player, str)}
    return config.seated(names), given


def _cast(
    config: Config,
    given: Mapping[str, Any],
    options: ModelOptions,
    resumed: tuple[RunInfo, Store] | None = None,
) -> OpenedCast:
    """Open what the players need, with those given as objects under the name `_GIVEN`."""
    cast = open_cast(config, options, resumed=resumed)

    def handed(request: PlayerRequest) -> AnyPlayer:
        player = given.get(request.seat)
        if player is None:
            raise BadInput(
                f"the player in the seat {request.seat} was given as an object",
                hint="pass it again: seats={...}",
            )
        return made(player, request, f"seats[{request.seat!r}]")

    return cast._replace(more={**cast.more, _GIVEN: handed})


def _path(config: str | PathLike[str] | None) -> Path | None:
    return Path(config) if config else None


def _outside_a_loop(work: Callable[[], T]) -> T:
    """Call `work` here, or in a separate thread if an event loop is already running, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(work).result()


def _opened(store: StoreLike, *, create: bool = True) -> AbstractContextManager[Store]:
    """A store as a context manager; one that the caller opened stays open."""
    return nullcontext(store) if isinstance(store, Store) else open_store(store, create=create)
