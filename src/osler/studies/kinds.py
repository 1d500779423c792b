"""What a run may be of: consultations, ward rounds, scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from osler.cases.model import Case
from osler.cases.scenarios.model import Scenario
from osler.studies.build import RunConfig
from osler.studies.round_config import RoundConfig
from osler.studies.scenario_config import ScenarioConfig

AnyCase = Case | Scenario
AnyKind = type[RunConfig] | type[RoundConfig] | type[ScenarioConfig]
KINDS: Final[Mapping[str, AnyKind]] = MappingProxyType(
    {"consultation": RunConfig, "ward_round": RoundConfig, "scenario": ScenarioConfig}
)
NAMES: Final[Mapping[AnyKind, str]] = MappingProxyType(
    {RunConfig: "consultations", RoundConfig: "ward rounds", ScenarioConfig: "scenarios"}
)


def kind_of(protocol: str) -> AnyKind:
    """The kind of configuration of a protocol such as "ward_round/1"; consultations where it is unknown."""
    return KINDS.get(protocol.partition("/")[0], RunConfig)
