"""Conservation: everything that a source record says is told, withheld or named in the case's flags.

An importer's tests call `losses` on a record and the case made of it: what it returns was lost silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from osler.cases.importers.json_paths import Leaf, words_of
from osler.cases.model import Case

# A withheld text with these words stands for whatever is below its path: names, addresses, bills.
_LEFT_OUT: Final = re.compile(r"(?:^|[:|] )left out[:,] ")
UNREAD: Final = "[unread]"
"""The end of the source of a withheld text that holds the words of a part that its holder does not say."""
_PARTS: Final = re.compile(r"[.\[]")
_SIGNS: Final = re.compile(r"[\W_]+")


def losses(
    leaves: Iterable[Leaf], case: Case, in_words: Callable[[Leaf], str] = lambda leaf: words_of(leaf.value)
) -> tuple[Leaf, ...]:
    """The leaves of a record that a case neither tells nor withholds, nor names in a flag.

    A leaf is conserved where a holder of its path, or of a path above it, says its words, but for white
    space, punctuation and capitals; where that holder says that all of it is left out; or where a flag has
    its path. `in_words` gives the words to look for, and is empty for a leaf that has none.
    """
    texts = _texts(case)
    flags = " ".join(case.provenance.flags)
    return tuple(leaf for leaf in leaves if not _is_conserved(leaf.path, in_words(leaf), texts, flags))


def _is_conserved(path: str, words: str, texts: dict[str, str], flags: str) -> bool:
    wanted = squeezed(words)
    for place in _with_those_above(path):
        text = texts.get(place)
        if text is not None and (wanted in squeezed(text) or _LEFT_OUT.search(text)):
            return True
    return path in flags


def _texts(case: Case) -> dict[str, str]:
    """What is told and withheld of each path of the source."""
    texts: dict[str, str] = {}
    for path, text in _holders(case):
        place = path.removesuffix(UNREAD)
        texts[place] = f"{texts[place]} | {text}" if place in texts else text
    return texts


def _holders(case: Case) -> Iterator[tuple[str, str]]:
    for path in case.opening.sources:
        yield path, f"{case.opening.door_note} {case.opening.words} {case.sex or ''}"
    for fact in case.facts:
        if fact.source:
            yield fact.source, f"{fact.text} {fact.spoken or ''}"
    for finding in case.findings:
        if finding.source:
            yield finding.source, " | ".join((finding.name, *finding.aliases, finding.result))
    for leaf in case.withheld:
        yield leaf.source, leaf.text


def _with_those_above(path: str) -> Iterator[str]:
    yield path
    yield from (path[: cut.start()] for cut in _PARTS.finditer(path))


def squeezed(text: str) -> str:
    """Letters and digits only, in lower case."""
    return _SIGNS.sub("", text).lower()
