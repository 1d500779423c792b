"""Settings of memories, for configurations: how cards are ranked, and which texts count as one case."""

from __future__ import annotations

from typing import Final, Literal

Policy = Literal["gold", "judge", "none"]
Ranking = Literal["nearest", "lexical", "fused"]
THRESHOLD: Final = 0.4
MADE_UP: Final = 0.6
