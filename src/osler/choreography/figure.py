"""The looks of people: by what a view says of them, and by the episode's key; never by the case.

Age and sex are drawn only where the registration says them. All else is drawn by lot from the episode's key,
so it can neither give a diagnosis away nor differ between twins that share a key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from osler.choreography.scene import Looks

_CHILD, _OLD, _MIDDLE = 14, 65, 40
_AIDS: Final = re.compile(
    r"\b(?<!no longer )(?:in|uses|walks with) an? (?:(wheelchair)|cane|(?:walking )?stick)\b(?! injury)",
    re.IGNORECASE,
)


class Traits(NamedTuple):
    """The traits of a person that a view tells of."""

    age_years: float | None = None
    sex: Literal["", "female", "male"] = ""
    aid: Literal["", "wheelchair", "cane"] = ""


NOTHING_TOLD: Final = Traits()


def traits_of(view: Mapping[str, Any]) -> Traits:
    """The traits of the patient as a view has them: `age_years`, `sex`, and an aid if what stands at the door
    (`door_note`) says that they walk with it."""
    age, sex = view.get("age_years"), view.get("sex")
    aid = _AIDS.search(str(view.get("door_note") or ""))
    return Traits(
        float(age) if isinstance(age, int | float) and not isinstance(age, bool) else None,
        sex if sex in ("female", "male") else "",
        "" if aid is None else "wheelchair" if aid[1] else "cane",
    )


def figure_of(key: str, who: str, role: str, traits: Traits = NOTHING_TOLD) -> Looks:
    """The looks of a person of an episode: the same every time."""
    drawn = hashlib.sha256(f"{key}\0{who}\0looks".encode()).digest()
    age = _band(traits.age_years)
    # Grey hair belongs to the age that is told, and to nobody else's lot.
    hair = 6 if age == "old" else drawn[1] % 6
    return Looks(role, age, traits.sex, drawn[0] % 6, hair, drawn[2] % 4, drawn[3] % 8, traits.aid)


def _band(age: float | None) -> Literal["", "child", "young", "middle", "old"]:
    if age is None:
        return ""
    if age < _CHILD:
        return "child"
    if age >= _OLD:
        return "old"
    return "middle" if age >= _MIDDLE else "young"
