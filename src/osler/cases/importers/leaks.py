"""Leaks: places where a record gives away its own diagnosis.

`leak`   the diagnosis is verbatim (case-insensitive) in an examination or a test result
`given`  it is verbatim in the opening or in what the patient knows
`near`   a near match: without its bracket, in the possessive, or by its most distinctive word
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from osler.cases.importers.json_paths import Leaf, clean, words_of
from osler.cases.model import Fact, Finding, Opening


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHORTEST: Final = 3
_TELLING: Final = 9
_MAX_FLAGS: Final = 20
_GENERAL: Final = _set(
    "associated bacterial carcinoma chronic complication congenital dermatitis deficiency dependence "
    "disorder dysfunction essential familial functional generalized idiopathic infection infections "
    "inflammatory intestinal intoxication malignant metastatic neoplasm obstruction pathological "
    "pregnancy primary pulmonary recurrent respiratory secondary spontaneous syndrome traumatic "
    "withdrawal abdominal posterior anterior cutaneous situational impaired production reaction "
    "intracranial subacute"
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_POSSESSIVE: Final = re.compile(r"['’]s?\b")
_BRACKET: Final = re.compile(r"\([^()]*\)")


def leaks_in(
    answer: str, leaves: Iterable[Leaf], opening: Opening, facts: Iterable[Fact], findings: Iterable[Finding]
) -> tuple[str, ...]:
    """Flags for every place that names the answer, worst first; at most twenty."""
    tested = {finding.source or "" for finding in findings}
    said = {fact.source or "" for fact in facts} | set(opening.sources)
    flags = [
        flag
        for leaf in leaves
        for flag in _flags(answer, leaf, tests=_under(leaf.path, tested), heard=_under(leaf.path, said))
    ]
    order = ("leak", "given", "near")
    return tuple(sorted(flags, key=lambda flag: order.index(flag.partition(":")[0]))[:_MAX_FLAGS])


def _under(path: str, roots: set[str]) -> bool:
    return path in roots or any(path[: cut.start()] in roots for cut in re.finditer(r"[.\[]", path))


def _flags(answer: str, leaf: Leaf, *, tests: bool, heard: bool) -> Iterator[str]:
    if not (tests or heard):
        return
    place = leaf.path.removeprefix("OSCE_Examination.")
    text = words_of(leaf.value)
    if len(answer) >= _SHORTEST and tests and _verbatim(answer, text, leaf.path):
        yield f"leak: diagnosis named in {place}"
    elif heard and any(f" {name} " in f" {plain(text)} " for name in plain_names(answer)):
        yield f"given: diagnosis named in {place}"
    elif word := nearly(answer, text):
        yield f"near: {word!r} of the diagnosis stands in {place}"


def _verbatim(answer: str, text: str, path: str) -> bool:
    name = answer.lower()
    keys = path.lower()
    return name in text.lower() or name in keys or name in keys.replace("_", " ")


def plain(text: str) -> str:
    """Normalize to lower-case words, without brackets, possessives, punctuation, and ae and oe for e."""
    bare = _POSSESSIVE.sub(" ", clean(text).lower()).replace("ae", "e").replace("oe", "e")
    return " ".join(_WORD.findall(bare))


@lru_cache(maxsize=64)  # the few names of one answer are looked up in every text of its case
def plain_names(name: str) -> tuple[str, ...]:
    """The normalized forms of a name, whole and without its bracketed part, leaving out empty ones."""
    return tuple(dict.fromkeys(found for one in (name, _BRACKET.sub(" ", name)) if (found := plain(one))))


def nearly(answer: str, text: str) -> str | None:
    """The part of the answer found in `text`: its plain name, or its longest distinctive word."""
    seen = f" {plain(text)} "
    names = plain_names(answer)
    for name in names:
        if len(name) > _SHORTEST and f" {name} " in seen:
            return name
    words = [word for word in " ".join(names[-1:]).split() if len(word) >= _TELLING and word not in _GENERAL]
    longest = max(words, key=len, default="")
    return longest if longest and f" {longest} " in seen else None
