"""The result of a verification: what was checked, what failed, and what could not be checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from osler.errors import OslerError

UNREADABLE: Final = (
    *(OslerError, OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
    *(RecursionError, StopIteration, AssertionError, SQLAlchemyError),
)
"""What reading a file raises that is not what was written."""
_MOST: Final = 500
_SHOWN: Final = 300


class Failure(NamedTuple):
    """Something that is not as it should be: `what` it is, `where`, what the submission `said`, and what was
    `found`."""

    what: str
    where: str
    said: Any
    found: Any


@dataclass
class Verification:
    """The result: what was checked, by kind, what failed, and what could not be checked, in sentences."""

    checked: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def count(self, what: str, by: int = 1) -> None:
        """Count what was checked."""
        self.checked[what] = self.checked.get(what, 0) + by

    def fail(self, what: str, where: str, said: Any, found: Any) -> None:
        """Note a failure, its values cut to what can be read."""
        self.failures.append(Failure(what, where, _clip(said), _clip(found)))

    def compare(self, what: str, where: str, said: Any, found: Any) -> None:
        """Count a check, and note where it fails."""
        self.count(what)
        if said != found:
            self.fail(what, where, said, found)

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "ok": self.ok,
            "checked": self.checked,
            "failures": [one._asdict() for one in self.failures[:_MOST]],
            "more_failures": max(0, len(self.failures) - _MOST),
            "unchecked": self.unchecked,
        }


def _clip(value: Any) -> Any:
    text = str(value)
    return value if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
