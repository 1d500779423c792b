"""The opening of judges that ask a language model."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from osler.core.judge import PORTION, ModelJudge
from osler.models.config import Endpoint
from osler.models.types import ModelClient


class JudgeModel(NamedTuple):
    """The inputs that open a model judge: the client, the endpoint's configuration, how many times the model
    is sampled (`repeats`), and how many items at most go into one call (`batch`)."""

    client: ModelClient
    endpoint: Endpoint
    repeats: int = 1
    batch: int = PORTION


OpensJudge = Callable[[JudgeModel], ModelJudge]
