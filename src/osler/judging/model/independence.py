"""Independence of the judge: it may not share a player's endpoint, unless overridden and reported."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from osler.errors import BadInput

_ENDS: Final = r"(?![\w./-])"


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
        return None
    if not override:
        raise BadInput(what, hint="judge with another endpoint, or give --same-endpoint-allowed")
    return (
        f"{what[0].upper()}{what[1:]}: models tend to favour their own answers, so read its scores with that."
    )
