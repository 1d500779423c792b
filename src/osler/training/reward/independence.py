"""The judge of a reward never judges the evaluation, and never plays.

A policy learns what its judge rewards, mistakes included. Marked by that judge again, it is marked by the one
reader who cannot see them. The same model under another name is the same judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from osler.errors import BadInput
from osler.judging.model.independence import check_independent
from osler.judging.named import MODEL

_PREFIX: Final = f"{MODEL}:"


class RewardJudge(NamedTuple):
    """The judge of a reward as a trained model's record keeps it: its endpoint's name, and its model."""

    endpoint: str
    model: str


def endpoint_in(name: str) -> str:
    """The endpoint in the name of a judge or a grader ("model:NAME", "rubric:model:NAME"), "" if none."""
    head, result, endpoint = name.rpartition(_PREFIX)
    return endpoint if result and (not head or head.endswith(":")) else ""


def check_reward_judge(
    judge: RewardJudge,
    evaluators: Iterable[str],
    *,
    players: Iterable[str] = (),
    models: Mapping[str, str] | None = None,
) -> None:
    """Raise BadInput if the judge of a reward also evaluates, or plays.

    `evaluators` are the names of the evaluation's judges or graders ("model:NAME"; those of rules do not
    matter), `players` names as written in a cast, `models` maps configured endpoints to their models.
    """
    models = {**(models or {}), judge.endpoint: judge.model}
    for name in evaluators:
        endpoint = endpoint_in(name)
        if endpoint and (endpoint == judge.endpoint or models.get(endpoint) == judge.model):
            alike = "" if endpoint == judge.endpoint else f": both are {judge.model}"
            raise BadInput(
                f"{judge.endpoint} judges the reward, so it cannot judge the evaluation as {name}{alike}",
                where="--judge",
                hint="name another model for one of the two",
            )
    cast = list(players)
    try:
        check_independent(judge.endpoint, cast, False, models)
    except BadInput as error:
        what = f"the judge of a reward cannot play in what it rewards: {error.what}"
        raise BadInput(what, where="--judge", hint="judge with another endpoint") from None
