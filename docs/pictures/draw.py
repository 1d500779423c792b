"""Draw the pictures of the documents from what the program does: `python -m docs.pictures.draw`.

Each is an SVG that says in words what it shows; the same program draws the same bytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from docs.pictures.canvas import Canvas
from docs.pictures.designs import states, streams
from docs.pictures.encounters import comparison, exchange, seats, ward_round

HERE: Final = Path(__file__).parent
PICTURES: Final[Mapping[str, Callable[[Path], Canvas]]] = {
    "exchange": exchange,
    "seats": lambda store: seats(),
    "ward-round": ward_round,
    "scenario-states": lambda store: states(),
    "longitudinal-streams": lambda store: streams(),
    "comparison": comparison,
}
"""The pictures by file name; what plays encounters does so in the store that it is given."""


def drawn(name: str) -> str:
    """A picture, with a store of its own that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        return PICTURES[name](Path(folder) / "osler.db").svg()


def main() -> None:
    """Write all pictures beside this file."""
    for name in PICTURES:
        (HERE / f"{name}.svg").write_text(drawn(name), "utf-8")


if __name__ == "__main__":
    main()
