"""Negation detection: the findings that a text affirms or denies.

The lexicon holds every wording of every finding together with the cues of polarity and subject ("denies",
"but", "raised", "my father"). A text is scanned once, longest match first. Rules, in short:

- the scope of a negation ends with its clause: at ".", ";", "but", or a comma followed by a new subject;
- "X negative" and "X: none" deny what comes just before;
- a relative's findings are not the patient's;
- a laboratory name takes the qualifier next to it, else its place in a stated reference range, else in ours;
- a finding both affirmed and denied in one text counts as affirmed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from osler.knowledge.findings import Finding, finding, findings
from osler.text.finding_lexicon import Leaf, Lexicon, Node, kept, lexicon

__all__ = ["Finding", "finding", "findings", "mentions"]

_QUALIFIERS: Final = frozenset({"normal", "high", "low", "deny_back"})
# The most words allowed between a name and its number or qualifier.
_NUMBER_WITHIN, _QUALIFIER_WITHIN, _BACK_WITHIN, _OWN_WITHIN = 5, 10, 3, 2
_BOUNDS: Final = {
    "below": "low",
    "under": "low",
    "less than": "low",
    "up to": "low",
    "above": "high",
    "more than": "high",
    "at least": "high",
}
_TWO_WORDS: Final = frozenset(["than", "to", "least"])
_INFINITY: Final = float("inf")
_JOINS: Final = frozenset([",", "both", "all"])


@dataclass(slots=True)
class _Measure:
    """A laboratory name found in a text, and what has been said of it so far."""

    of: tuple[int, ...]
    end: int
    before: str | None
    after: str | None = None
    value: float | None = None
    limits: tuple[float, float] | None = None

    def verdict(self, item: Finding) -> bool | None:
        """The presence of `item` by the word after, the number, or the word before; `None` if unknown."""
        said = self.after
        if said is None and self.value is not None:
            if self.limits:
                low, high = self.limits
                said = "low" if self.value < low else "high" if self.value > high else "normal"
            elif any(low <= self.value <= high for low, high in item.positive_range):
                return True
            elif any(low <= self.value <= high for low, high in item.negative_range):
                return False
        said = said or self.before
        return None if said is None else said == item.direction


def _numbers(token: str) -> tuple[float, ...]:
    """The numbers in a token: "14,500" is one, "120/80" is two."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", token).replace(",", ".")
    return tuple(float(n) for n in re.findall(r"\d+(?:\.\d+)?", plain))


def _longest(node: Node, tokens: list[str], at: int) -> tuple[Leaf | None, int]:
    """The meaning and the end of the longest wording that starts at `at`; `node` is its first word's."""
    leaf, end, ahead = node.leaf, at + 1, at + 1
    following = node.next.get(tokens[ahead])
    while following is not None:
        ahead += 1
        if following.leaf is not None:
            leaf, end = following.leaf, ahead
        following = following.next.get(tokens[ahead])
    return leaf, end


class _Scan:
    """One scan of one text. State: the clause's polarity and subject, and the laboratory names still open."""

    def __init__(self, lexicon: Lexicon, text: str) -> None:
        self.lexicon = lexicon
        self.found: dict[int, bool] = {}
        self.negated = self.relative = self.soft = self.closing = False
        self.before: tuple[str, int] | None = None
        self.open: list[_Measure] = []
        self.done: list[_Measure] = []
        self.recent: list[tuple[tuple[int, ...], int]] = []
        self.raw = kept(text)

    def run(self) -> dict[int, bool]:
        """Map finding indices to affirmed or denied. A wording may start inside another and end after it."""
        words, first, covered = self.lexicon.words, self.lexicon.root.next, 0
        # No wording contains an empty word, so this sentinel stops every match at the end.
        tokens = [*[words[word] for word in self.raw], ""]
        for at, word in enumerate(self.raw):
            node = first.get(tokens[at])
            if node is None:
                if at >= covered:
                    self._other(word, at)
                continue
            leaf, end = node.leaf, at + 1
            if tokens[at + 1] in node.next:
                leaf, end = _longest(node, tokens, at)
            if at >= covered:
                if leaf is None:
                    self._other(word, at)
                    continue
                if end > at + 1 and not leaf.cues and node.leaf is not None and "negate" in node.leaf.cues:
                    leaf, end = self._unless_outreached(leaf, node.leaf, tokens, at, end)
                self._read(leaf, at, end)
                covered = end
            elif end > covered and leaf is not None and not leaf.cues:
                self._read(leaf, at, end)
                covered = end
        self._close()
        return self._with_measures()

    def _unless_outreached(
        self, leaf: Leaf, denial: Leaf, tokens: list[str], at: int, end: int
    ) -> tuple[Leaf, int]:
        """Prefer "not" plus a longer finding to a set phrase: "not sleeping on three pillows"."""
        inner = self.lexicon.root.next.get(tokens[at + 1])
        if inner is not None:
            within, reach = _longest(inner, tokens, at + 1)
            if within is not None and reach > end:
                return denial, at + 1
        return leaf, end

    def _other(self, word: str, at: int) -> None:
        """Handle a word that starts no wording."""
        self.soft = False
        if self.open:
            self._number(word, at)

    def _read(self, leaf: Leaf, at: int, end: int) -> None:
        affirms, denies, measures, cues = leaf
        if not cues:
            self.soft = False
        elif self._cue(cues, at, end, own=bool(affirms)):
            return
        if affirms:
            self._mention(affirms, not self.negated, end)
        if denies:
            self._mention(denies, False, end)
        if measures:
            self._measure(measures, at, end)

    def _mention(self, of: tuple[int, ...], present: bool, end: int) -> None:
        if self.relative:
            of = tuple([i for i in of if i in self.lexicon.of_relatives])
        result = self.found
        for i in of:
            result[i] = present or result.get(i, False)
        self.recent.append((of, end))

    def _measure(self, of: tuple[int, ...], at: int, end: int) -> None:
        if self.closing or any(m.value is not None for m in self.open):
            self._close()
        before = None
        if self.before and at - self.before[1] <= 2:
            before = self.before[0]
            self.before = (before, end)
        self.open.append(_Measure(of, end, before))

    def _number(self, token: str, at: int) -> None:
        """Assign a number to its laboratory name; any other word after a comma closes that name."""
        last = self.open[-1]
        if token[-1].isdigit():
            numbers, bound = _numbers(token), self._bound(token, at)
            if last.value is None:
                if at - last.end <= _NUMBER_WITHIN:
                    last.value = numbers[0]
                    # "<5" says only that the value is low.
                    last.before = last.before or bound
            elif last.limits is None and bound:
                last.limits = (-_INFINITY, numbers[0]) if bound == "low" else (numbers[0], _INFINITY)
            elif last.limits is None and len(numbers) == 2 and "/" not in token:
                last.limits = (numbers[0], numbers[1])
        elif self.closing:
            self._close()

    def _bound(self, token: str, at: int) -> str | None:
        """The side of a number that is meant: "<5" and "below 5" are low, ">5" and "above 5" high."""
        if token[0] in "<≤":
            return "low"
        if token[0] in ">≥":
            return "high"
        last = self.raw[at - 1]
        return _BOUNDS.get(f"{self.raw[at - 2]} {last}" if last in _TWO_WORDS else last)

    def _close(self) -> None:
        self.done += self.open
        self.open = []
        self.closing = False

    def _cue(self, cues: frozenset[str], at: int, end: int, *, own: bool) -> bool:
        """Update polarity and subject for a cue. True if the word was used up as a laboratory qualifier.

        `own`: the word is also a finding itself ("fallen", "depressed").
        """
        soft, self.soft = self.soft, False
        if "stop" in cues:
            self.negated = self.relative = False
            self.before = None
            self.recent.clear()
            if self.open:
                self._close()
            return False
        if "soft" in cues:
            self.soft = True
            if self.raw[at] == "," and at and self.raw[at - 1] == "no":
                self.negated = False
            if self.raw[at] in (",", "and") and self.open:
                last = self.open[-1]
                self.closing = last.value is not None or last.after is not None or last.before is not None
            return False
        if "subject" in cues and soft:
            self.negated = self.relative = False
        if "relative" in cues:
            self.relative = True
        if "speech" in cues:
            self.relative = False
        used = not cues.isdisjoint(_QUALIFIERS) and self._qualify(cues, at, end, own=own)
        if "negate" in cues:
            self.negated = True
        return used

    def _qualify(self, cues: frozenset[str], at: int, end: int, *, own: bool) -> bool:
        """Apply a qualifier ("raised", "negative") to the name or mention before it, or to what follows."""
        kind = next((k for k in ("normal", "high", "low") if k in cues), None)
        if kind and self._names_a_range(end):
            return False
        if kind and (takers := self._takers(at, own=own)):
            for m in takers:
                m.after = kind
            return True
        if "deny_back" in cues and self.recent and at - self.recent[-1][1] <= _BACK_WITHIN:
            ahead = at
            for of, ended in reversed(self.recent):
                if ahead - ended > _BACK_WITHIN:
                    break
                self.found.update(dict.fromkeys(of, False))
                ahead = ended
            self.recent.clear()
            return False
        if kind:
            self.before = ("normal" if self.negated else kind, end)
        return False

    def _takers(self, at: int, *, own: bool) -> list[_Measure]:
        """The laboratory names a qualifier at `at` may apply to; after a comma, only if it comes next."""
        takers = [m for m in self.open if m.after is None and not (self.closing and m.before)]
        within = _OWN_WITHIN if own else _QUALIFIER_WITHIN
        if not takers or at - takers[-1].end > within or (own and takers[-1].value is not None):
            return []
        return [] if self.closing and self.raw[at - 1] not in _JOINS else takers

    def _names_a_range(self, end: int) -> bool:
        """Whether "normal" introduces a reference range and so says nothing itself."""
        following = self.raw[end] if end < len(self.raw) else ""
        return following[-1:].isdigit() or following in ("range", ":")

    def _with_measures(self) -> dict[int, bool]:
        items, measures = self.lexicon.items, self.found
        for measure in self.done:
            for i in measure.of:
                present = measure.verdict(items[i])
                if present is not None:
                    measures[i] = measures.get(i, False) or present
        implied = self.lexicon.implied
        for i in [i for i, present in measures.items() if present]:
            for other in implied[i]:
                measures[other] = True
        return measures


@lru_cache(maxsize=8192)
def mentions(text: str) -> Mapping[str, bool]:
    """The findings, by id, that `text` affirms (`True`) or denies (`False`); a read-only mapping. Pure."""
    looked_up = lexicon()
    result = _Scan(looked_up, text).run()
    return MappingProxyType({looked_up.items[i].id: present for i, present in result.items()})
