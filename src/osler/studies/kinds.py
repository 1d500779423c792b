"""What a run may be of: consultations or ward rounds. Whatever plays, resumes or branches one asks only this.

A configuration says how its cases are made ready, how an episode is made of one, and who builds the casts; an
episode plays itself and is judged. Everything else is the same for both.
"""

from __future__ import annotations

from osler.studies.build import Casting, RunConfig
from osler.studies.execute import Episode
from osler.studies.round_config import RoundCasting, RoundConfig
from osler.studies.ward_round import RoundEpisode

AnyConfig = RunConfig | RoundConfig
AnyCasting = Casting | RoundCasting
AnyEpisode = Episode | RoundEpisode


def kind_of(protocol: str) -> type[RunConfig] | type[RoundConfig]:
    """The kind of configuration of a protocol such as "ward_round/1"; consultations where it is unknown."""
    return RoundConfig if protocol.startswith("ward_round") else RunConfig
