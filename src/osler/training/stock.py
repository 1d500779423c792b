"""Stock phrases: wording that many unrelated cases share because a template wrote it, so that sharing it says
nothing about where a case comes from.

The list is fixed and versioned: whether two cases are alike depends on these two cases alone, however many
others stand beside them. It holds what Osler's generator writes for three diseases or more, the openings that
its importers write, and two formulas of examination questions. `benchmarks/stock_phrases.py` writes it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from osler.training.likeness import form_hashes

VERSION: Final = 1
_FILE: Final = "stock_phrases.txt"
_COMMENT: Final = "## "


@cache
def stock_runs() -> frozenset[int]:
    """The forms of the runs of eight words of all stock phrases, as hashes."""
    lines = files("osler.training").joinpath(_FILE).read_text(encoding="utf-8").splitlines()
    phrases = (line.split() for line in lines if not line.startswith(_COMMENT))
    return frozenset(form for phrase in phrases for form in form_hashes(phrase) if form is not None)
