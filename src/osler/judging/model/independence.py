"""Independence of the judge: it shares no player's model, unless overridden; a shared family is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from osler.errors import BadInput
from osler.judging.model.kinship import kinships

_ENDS: Final = r"(?![\w./-])"
_FAVOUR: Final = "models tend to favour their own answers, so read its scores with that."


def check_independent(
    judge_endpoint: str,
    player_names: Iterable[str],
    override: bool,
    models: Mapping[str, str] | None = None,
    rewarded: Mapping[str, Collection[str]] | None = None,
) -> str | None:
    """Return `None` if the judge is not a player; else a sentence for the report, or raise BadInput.

    `player_names` are names as written in a cast, including composite ones ("ensemble(model:a, 5)"). `models`
    maps endpoints to their models, so that the same model under two names is detected as well; `rewarded`
    maps those of trained models to the models that judged their reward, which are refused without exception.
    A judge of the same family of models as a player is allowed, and the sentence says so.
    """
    models = models or {}
    cast = "\n".join(player_names)
    known = sorted({judge_endpoint, *models})
    players = [name for name in known if re.search(rf"\bmodel:{re.escape(name)}{_ENDS}", cast)]
    model = models.get(judge_endpoint)
    for player in players:
        if {judge_endpoint, model} & set((rewarded or {}).get(player, ())):
            raise BadInput(
                f"the judge {judge_endpoint} judged the reward that {player} was trained on",
                hint="a model that gave a reward cannot evaluate what it rewarded: judge with another",
            )
    alike = [p for p in players if p != judge_endpoint and model is not None and models.get(p) == model]
    if judge_endpoint in players:
        what = f"the judge {judge_endpoint} is also a player of this run"
    elif alike:
        what = f"the judge {judge_endpoint} is the same model ({model}) as a player of this run, {alike[0]}"
    else:
        return _of_one_family(judge_endpoint, players, models)
    if not override:
        raise BadInput(what, hint="judge with another endpoint, or give --same-endpoint-allowed")
    return f"{what[0].upper()}{what[1:]}: {_FAVOUR}"


def _of_one_family(judge: str, players: Iterable[str], models: Mapping[str, str]) -> str | None:
    """The sentence on a judge that is of the family of a player's model; `None` if it is of none's."""
    for player in players:
        if judge in models and player in models:
            for kin in kinships({judge: [models[judge]], player: [models[player]]}):
                same = f"of the same family of models as a player, {player} ({kin.shared})"
                return f"The judge {judge} is {same}: {_FAVOUR}"
    return None
