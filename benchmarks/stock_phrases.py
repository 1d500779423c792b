"""Write the list of stock phrases from the generator's own cases: `python benchmarks/stock_phrases.py`.

`--check` exits with 1 if the generator would give another list now. A list that changes needs a new VERSION
in `osler/training/stock.py`: data sets name it in their manifests.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from osler.cases.answers import answer_of
from osler.cases.sources import open_source
from osler.protocols.ward_round.training.seat import TUTOR_SEAT
from osler.training import stock
from osler.training.likeness import words

CASES: Final = "generated:1200:3"
ADDED: Final = (
    "I have brought my child because of this",
    "and I would like somebody to take a look please",
    "year old male assess and diagnose the patient presenting with",
    "year old female assess and diagnose the patient presenting with",
    "which of the following is the most likely diagnosis",
)
"""Openings that importers write, and formulas of examination questions."""
FILE: Final = Path(stock.__file__).with_name("stock_phrases.txt")


def main() -> int:
    """Write the list, or compare it."""
    cases = ((answer_of(case), TUTOR_SEAT.case_texts(case)) for case in open_source(CASES))
    phrases = [*stock.phrases_of(cases), *(" ".join(words(one)) for one in ADDED)]
    head = f"## Stock phrases, version {stock.VERSION}: {CASES}, in cases with {stock.LEAST} answers or more"
    text = "\n".join((head, *phrases)) + "\n"
    if "--check" in sys.argv:
        return int(FILE.read_text(encoding="utf-8") != text)
    FILE.write_text(text, encoding="utf-8")
    print(f"{len(phrases):,} phrases, {len(text):,} letters: {FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
