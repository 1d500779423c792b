"""Who takes part at a command: built-in players, a person at this terminal, models that are opened for it.

Whatever talks to a model is imported inside functions, because its client takes half a second to import and
most commands need none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import RenderableType

from osler.cli.options import CacheMode
from osler.cli.terminal import person_at_terminal, person_at_the_round, person_at_the_scenario
from osler.errors import BadInput
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies import examinees
from osler.studies.build import NONE, Factory, RunConfig
from osler.studies.config import AnyConfig
from osler.studies.doctors import inside
from osler.studies.round_config import RoundConfig
from osler.studies.runs import any_config_of
from osler.studies.scenario_config import ScenarioConfig


class Modelling(NamedTuple):
    """How models are asked: which osler.toml, how answers are cached, what may be used."""

    config: Path | None = None
    cache: CacheMode = "off"
    max_tokens: int | None = None
    max_money: float | None = None

    def flags(self) -> str:
        """What was given, as it is given to another command."""
        given = {
            "--config": self.config,
            "--cache": None if self.cache == "off" else self.cache,
            "--max-tokens": self.max_tokens,
            "--max-money": self.max_money,
        }
        return "".join(f" {flag} {value}" for flag, value in given.items() if value is not None)


class Seated(NamedTuple):
    """The players that a run may name beside the built-in ones, and what is open while they play.

    `config` is the run's, with the models behind its endpoints written in.
    """

    config: RunConfig
    more: Mapping[str, Factory]
    around: AbstractAsyncContextManager[object] | None = None


def take_seats(
    config: RunConfig,
    modelling: Modelling,
    *,
    resumed: tuple[RunInfo, Store] | None = None,
) -> Seated:
    """Seat whoever `config` names. With `resumed`, budgets count what earlier sittings used.

    Raises BadInput for an endpoint that is not configured, serves another model than before, or has no key.
    """
    _check_second_reader(config)
    more: dict[str, Factory] = dict(person_at_terminal())
    second = opened = None
    doctor = inside(config.doctor)
    blind = doctor == "baseline"
    if names := modelled(config):
        from osler.cli import models  # noqa: PLC0415 - see the top
        from osler.studies.model_cast import model_players, second_reader  # noqa: PLC0415 - see the top

        found = models.configured(modelling.config)
        opened = models.seated(names, found, modelling, resumed)
        config = config.model_copy(update={"models": models.models_of(found, names)})
        if doctor.startswith("model:"):
            blind = not opened.has_eyes(doctor.removeprefix("model:"))
        second = second_reader(opened, config.second_reader) if config.second_reader else None
        more |= model_players(opened, config.moves, second)
    _check_pictures(config, blind=blind)
    if config.ground:
        from osler.players.model.grounded import GroundedPatient  # noqa: PLC0415 - see the top

        person = person_at_terminal()["person"]
        more["person"] = lambda asked: (
            GroundedPatient(person(asked), second) if asked.seat == "patient" else person(asked)
        )
    return Seated(config, more, opened)


class RoundSeated(NamedTuple):
    """As `Seated`, for ward rounds."""

    config: RoundConfig
    more: Mapping[str, Factory]
    around: AbstractAsyncContextManager[object] | None = None


def take_round_seats(
    config: RoundConfig,
    modelling: Modelling,
    *,
    resumed: tuple[RunInfo, Store] | None = None,
) -> RoundSeated:
    """Seat whoever `config` names in a ward round; see `take_seats`."""
    more: dict[str, Factory] = dict(person_at_the_round())
    opened = None
    if names := modelled(config):
        from osler.cli import models  # noqa: PLC0415 - see the top
        from osler.studies.round_models import round_model_players  # noqa: PLC0415 - see the top

        found = models.configured(modelling.config)
        opened = models.seated(names, found, modelling, resumed)
        config = config.model_copy(update={"models": models.models_of(found, names)})
        more |= round_model_players(opened, config.moves)
    return RoundSeated(config, more, opened)


class ScenarioSeated(NamedTuple):
    """As `Seated`, for scenarios."""

    config: ScenarioConfig
    more: Mapping[str, Factory]
    around: AbstractAsyncContextManager[object] | None = None


def take_scenario_seats(
    config: ScenarioConfig,
    modelling: Modelling,
    *,
    resumed: tuple[RunInfo, Store] | None = None,
) -> ScenarioSeated:
    """Seat whoever `config` names in a scenario; see `take_seats`."""
    if "person" in (config.patient, config.controller):
        raise BadInput(
            "a person sits as the examinee", where="--patient, --controller", mend="name --examinee person"
        )
    examinees.check(config.examinee)
    more: dict[str, Factory] = dict(person_at_the_scenario())
    opened = None
    if names := modelled(config):
        from osler.cli import models  # noqa: PLC0415 - see the top
        from osler.studies.scenario_models import scenario_model_players  # noqa: PLC0415 - see the top

        found = models.configured(modelling.config)
        opened = models.seated(names, found, modelling, resumed)
        config = config.model_copy(update={"models": models.models_of(found, names)})
        more |= scenario_model_players(opened)
    return ScenarioSeated(config, more, opened)


def _check_second_reader(config: RunConfig) -> None:
    named = config.second_reader
    if named is None:
        return
    if not named.startswith("model:"):
        raise BadInput(f"{named!r} is no model", where="--second-reader", mend="write model:NAME")
    if not (config.ground or config.patient.startswith("model:")):
        raise BadInput(
            "the built-in patient tells its facts and nothing else, so there is nothing to read",
            where="--second-reader",
            mend="add --patient model:NAME",
        )


def _check_pictures(config: RunConfig, *, blind: bool) -> None:
    shown = config.settings.pictures == "shown"
    if shown and blind and config.describer == NONE:
        raise BadInput(
            f"{config.doctor} cannot see, and pictures come without reports",
            where="--pictures shown",
            mend="add --describer model:NAME, or set capabilities.images of an endpoint that sees",
        )
    if config.describer != NONE and not shown:
        raise BadInput(
            "there is nothing to describe: pictures come with their reports",
            where="--describer",
            mend="add --pictures shown",
        )


def modelled(config: AnyConfig) -> list[str]:
    """Whatever of a run is a model, as `model:NAME`: players, and the second reader."""
    reader = config.second_reader if isinstance(config, RunConfig) else None
    players = config.players()
    within = {"doctor": inside, "examinee": examinees.inside}
    named = (*(within.get(seat, str)(name) for seat, name in players.items()), reader or "")
    return list(dict.fromkeys(name for name in named if name.startswith("model:")))


def usage_of(run: RunInfo, store: Store, modelling: Modelling) -> tuple[dict[str, Any], list[RenderableType]]:
    """What the models of a run used, for a summary and as a table; nothing where there is none."""
    if not modelled(any_config_of(run)):
        return {}, []
    from osler.cli import models  # noqa: PLC0415 - see the top

    used = models.used_by(run, store, models.configured(modelling.config))
    return {"usage": used}, [models.usage_table(used)]
