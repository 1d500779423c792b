"""Clinical encounters whose numbers can be trusted. For education and research only.

A small set of stable names, each imported on first use:

    run, resume, open_cases, configure, judge, compare, Run, open_store       play, read and compare
    World, Sitting, Pending, sit                                             answer a seat from outside
    Protocol, Role, Config, Settings, Wrapper, general_wrappers, Episode, Cast, Lazy   define a protocol
    Material, open_material                                                  ... its cases
    View, Event, Said, Frozen, Contract, Request, OwnReply                        ... its seats and its events
    Words, said, noted                                                       ... how its events read
    Table, Outcome, outcome_of, Status                                       ... its story
    Judge, Verdict, verdict, version_of, Measure, Ratio, share_of, count_of, score      ... how it is scored
    Player, AnyPlayer, PlayerRequest, Factory, always, built_in, Seating, prompted   define a player
    Importer, Rejected, Case                                                 define an importer
    BadInput, OslerError                                                     what goes wrong
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from osler.api import PlayedEpisode as PlayedEpisode
    from osler.api import Run as Run
    from osler.api import compare as compare
    from osler.api import configure as configure
    from osler.api import judge as judge
    from osler.api import open_cases as open_cases
    from osler.api import resume as resume
    from osler.api import run as run
    from osler.cases.importers.detect import Importer as Importer
    from osler.cases.importers.report import Rejected as Rejected
    from osler.cases.material import Material as Material
    from osler.cases.model import Case as Case
    from osler.cases.own_cases import open_material as open_material
    from osler.core.composite import AnyPlayer as AnyPlayer
    from osler.core.composite import Cast as Cast
    from osler.core.config import Config as Config
    from osler.core.config import Settings as Settings
    from osler.core.contract import Contract as Contract
    from osler.core.contract import OwnReply as OwnReply
    from osler.core.contract import Player as Player
    from osler.core.contract import Request as Request
    from osler.core.ending import outcome_of as outcome_of
    from osler.core.episode import Episode as Episode
    from osler.core.events import Event as Event
    from osler.core.events import Frozen as Frozen
    from osler.core.events import Said as Said
    from osler.core.events import View as View
    from osler.core.factory import Factory as Factory
    from osler.core.factory import PlayerRequest as PlayerRequest
    from osler.core.factory import always as always
    from osler.core.factory import built_in as built_in
    from osler.core.judge import Judge as Judge
    from osler.core.judge import Verdict as Verdict
    from osler.core.judge import verdict as verdict
    from osler.core.judge import version_of as version_of
    from osler.core.lazy import Lazy as Lazy
    from osler.core.measure import Measure as Measure
    from osler.core.measure import Ratio as Ratio
    from osler.core.measure import count_of as count_of
    from osler.core.measure import score as score
    from osler.core.measure import share_of as share_of
    from osler.core.protocol import Protocol as Protocol
    from osler.core.role import Role as Role
    from osler.core.role import Seating as Seating
    from osler.core.role import Wrapper as Wrapper
    from osler.core.table import Table as Table
    from osler.core.trace import Outcome as Outcome
    from osler.core.trace import Trace as Trace
    from osler.core.wording import Wording as Wording
    from osler.core.wording import Words as Words
    from osler.core.wording import noted as noted
    from osler.core.wording import said as said
    from osler.errors import BadInput as BadInput
    from osler.errors import OslerError as OslerError
    from osler.errors import Status as Status
    from osler.players.external import Pending as Pending
    from osler.players.model.prompted import prompted as prompted
    from osler.players.wrappers.general import general_wrappers as general_wrappers
    from osler.runs.run import sit as sit
    from osler.runs.sitting import Sitting as Sitting
    from osler.runs.world import World as World
    from osler.store.store import open_store as open_store

_PLACES = {
    "osler.api": ("PlayedEpisode", "Run", "compare", "configure", "judge", "open_cases", "resume", "run"),
    "osler.cases.importers.detect": ("Importer",),
    "osler.cases.importers.report": ("Rejected",),
    "osler.cases.model": ("Case",),
    "osler.core.config": ("Config", "Settings"),
    "osler.core.episode": ("Episode",),
    "osler.core.factory": ("PlayerRequest", "Factory", "always", "built_in"),
    "osler.core.lazy": ("Lazy",),
    "osler.core.judge": ("Judge", "Verdict", "verdict", "version_of"),
    "osler.cases.material": ("Material",),
    "osler.cases.own_cases": ("open_material",),
    "osler.core.measure": ("Measure", "Ratio", "count_of", "score", "share_of"),
    "osler.core.protocol": ("Protocol",),
    "osler.core.role": ("Role", "Seating", "Wrapper"),
    "osler.players.wrappers.general": ("general_wrappers",),
    "osler.core.ending": ("outcome_of",),
    "osler.core.table": ("Table",),
    "osler.core.trace": ("Outcome", "Trace"),
    "osler.errors": ("BadInput", "OslerError", "Status"),
    "osler.players.external": ("Pending",),
    "osler.players.model.prompted": ("prompted",),
    "osler.core.composite": ("AnyPlayer", "Cast"),
    "osler.core.contract": ("Contract", "OwnReply", "Player", "Request"),
    "osler.core.events": ("Event", "Frozen", "Said", "View"),
    "osler.core.wording": ("Wording", "Words", "noted", "said"),
    "osler.store.store": ("open_store",),
    "osler.runs.run": ("sit",),
    "osler.runs.sitting": ("Sitting",),
    "osler.runs.world": ("World",),
}
_WHERE = {name: module for module, names in _PLACES.items() for name in names}
__all__ = sorted(_WHERE)  # noqa: PLE0605 - each name stands once, in `_PLACES`


def __getattr__(name: str) -> Any:
    """Import a public name on first use: `import osler` alone costs nothing."""
    if name not in _WHERE:
        raise AttributeError(f"module 'osler' has no attribute {name!r}")
    result = getattr(import_module(_WHERE[name]), name)
    globals()[name] = result
    return result


def __dir__() -> list[str]:
    return ["__version__", *__all__]
