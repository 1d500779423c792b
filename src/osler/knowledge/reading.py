"""Reading: which findings a text affirms or denies.

One trie over words holds every wording of every finding together with the cues that turn a sentence round
("denies", "but", "raised", "my father"). A text is walked once, longest match first. Rules, in short:

- a negation reaches to the end of its clause: ".", ";", "but", or a comma followed by a new subject;
- "X negative" and "X: none" deny what stands just before;
- what a relative has is not the patient's;
- a laboratory name takes the qualifier beside it, else its place in a stated reference range, else in ours;
- what is both affirmed and denied in one text is affirmed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from osler.knowledge.findings import Finding, finding, findings

__all__ = ["Finding", "finding", "findings", "mentions"]

_TOKEN: Final = re.compile(
    r"[a-zβ]+(?:'[a-z]+)?|[.;:!?,()\n]"
    r"|\d+(?:[.,/]\d+)*(?:\s?[-–]\s?\d+(?:\.\d+)?)?"  # a number, a pair such as 120/80, a range
    r"|[<≤]\s?\d+(?:\.\d+)?|\++"  # a limit, a grade
)
_DROPPED: Final = frozenset(
    "my|the|a|an|his|her|their|your|our|its|some|any|very|really|so|quite|just".split("|")
)
_OWNERS: Final = frozenset(["my", "his", "her", "their", "our", "the"])
_SAME: Final = {
    word: one
    for one, words in {
        "i": "he|she|they|we|it|i'm|i've|he's|she's|they've|i'd|he'd|she'd|it's|we've|they're|there|there's",
        "not": "don't|doesn't|didn't|haven't|hasn't|hadn't|isn't|aren't|wasn't|weren't|ain't",
        "cant": "cannot",
    }.items()
    for word in words.split("|")
}
_CUES: Final[dict[str, str]] = {
    "negate": "no|not|never|denies|denied|deny|denying|without|none of|neither|nor|non|negative for|free of"
    "|absence of|no evidence of|no history of|rules out",
    "stop": ".|;|!|?|\n|but|however|although|though|except|apart from|whereas|then|yet",
    "soft": ",|and|:|(|)",
    "subject": "i|has|have|had|reports|reported|admits|endorses|complains|notes|presents|presented|developed"
    "|began|positive for|owner",
    "relative": "father|mother|brother|sister|dad|mum|mom|aunt|uncle|grandmother|grandfather|cousin|parents"
    "|grandparent|family history",
    "speech": "says|said|reports|reported|noticed|tells|brought|brings|thinks|denies|denied|states|describes",
    "deny_back": "denied|none|absent|negative|not present|not seen|not palpable|not heard|not detected",
    "high": "raised|elevated|high|increased|positive|above|prolonged|h|detected|reactive|up|rising",
    "low": "low|reduced|decreased|below|suppressed|undetectable|l|depressed|impaired|diminished|fallen",
    "normal": "normal|negative|unremarkable|within normal|not detected|within reference|clear|not raised"
    "|not elevated|non reactive|nonreactive|not increased|not reduced|not low|not high",
}
_QUALIFIERS: Final = frozenset({"normal", "high", "low", "deny_back"})
_OF_RELATIVES: Final = ("family_", "sick_contacts", "house_symptoms")
_NUMBER_WITHIN, _QUALIFIER_WITHIN, _BACK_WITHIN = 5, 8, 3  # words between a name and what is said of it


class _Leaf(NamedTuple):
    """What a wording stands for: findings affirmed or denied (indices), laboratory names, cues."""

    affirms: tuple[int, ...] = ()
    denies: tuple[int, ...] = ()
    measures: tuple[int, ...] = ()
    cues: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Node:
    next: dict[str, _Node] = field(default_factory=dict)
    leaf: _Leaf | None = None


def _normal(word: str) -> str:
    """One spelling for a word: pronouns and "n't" unified, possessive and plural endings cut."""
    word = _SAME.get(word, word)
    if word.endswith("'s"):
        word = word[:-2]
    word = word.replace("'", "")
    if len(word) > 3 and word[-1] == "s" and not word.endswith(("ss", "us", "is", "as")):
        word = word[:-1]
    return word


class _Words(dict[str, str]):
    """Words to their normal spelling; "" for a word that no wording uses. Remembers a bounded number."""

    def __init__(self) -> None:
        super().__init__()
        self.known = set[str]()

    def __missing__(self, word: str) -> str:
        normal = _normal(word)
        found = normal if normal in self.known else ""
        if len(self) < 50_000:
            self[word] = found
        return found


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """Everything a scan looks up. `implied` and `of_relatives` are aligned with `items`."""

    items: tuple[Finding, ...]
    root: _Node
    words: _Words
    implied: tuple[tuple[int, ...], ...]
    of_relatives: frozenset[int]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower().replace("’", "'"))


def _grow(root: _Node, words: _Words, form: str, leaf: _Leaf) -> None:
    node = root
    for token in _tokens(form):
        if token in _DROPPED:
            continue
        normal = _normal(token)
        words.known.add(normal)
        node = node.next.setdefault(normal, _Node())
    old = node.leaf or _Leaf()
    node.leaf = _Leaf(
        old.affirms + tuple(i for i in leaf.affirms if i not in old.affirms),
        old.denies + tuple(i for i in leaf.denies if i not in old.denies),
        old.measures + tuple(i for i in leaf.measures if i not in old.measures),
        old.cues | leaf.cues,
    )


def _closure(items: tuple[Finding, ...]) -> tuple[tuple[int, ...], ...]:
    """For each finding, the indices of all that it implies, at any distance."""
    at = {item.id: i for i, item in enumerate(items)}

    def reach(i: int, seen: frozenset[int]) -> frozenset[int]:
        for name in items[i].implies:
            if at[name] not in seen:
                seen = reach(at[name], seen | {at[name]})
        return seen

    return tuple(tuple(sorted(reach(i, frozenset()) - {i})) for i in range(len(items)))


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    items, root, words = findings(), _Node(), _Words()
    for i, item in enumerate(items):
        for form in item.forms + item.positive:
            _grow(root, words, form, _Leaf(affirms=(i,)))
        for form in item.negative:
            _grow(root, words, form, _Leaf(denies=(i,)))
        for form in item.analytes:
            _grow(root, words, form, _Leaf(measures=(i,)))
    for cue, forms in _CUES.items():
        for form in forms.split("|"):
            _grow(root, words, form, _Leaf(cues=frozenset([cue])))
    relatives = frozenset(i for i, item in enumerate(items) if item.id.startswith(_OF_RELATIVES))
    return _Lexicon(items, root, words, _closure(items), relatives)


@dataclass(slots=True)
class _Measure:
    """A laboratory name met in a text and what is said of it so far."""

    of: tuple[int, ...]
    end: int
    before: str | None
    after: str | None = None
    value: float | None = None
    limits: tuple[float, float] | None = None

    def verdict(self, item: Finding) -> bool | None:
        """Whether `item` is present: by the word after, the number, or the word before."""
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
    """The numbers in a token, "14,500" as one and "120/80" as two."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", token).replace(",", ".")
    return tuple(float(n) for n in re.findall(r"\d+(?:\.\d+)?", plain))


class _Scan:
    """One walk over one text. State: the clause's polarity and owner, and the laboratory names still open."""

    def __init__(self, lexicon: _Lexicon, text: str) -> None:
        self.lexicon = lexicon
        self.found: dict[int, bool] = {}
        self.negated = self.relative = self.soft = self.closing = False
        self.before: tuple[str, int] | None = None
        self.open: list[_Measure] = []
        self.done: list[_Measure] = []
        self.recent: list[tuple[tuple[int, ...], int]] = []
        self.raw = _kept(text)

    def run(self) -> dict[int, bool]:
        """Finding indices to affirmed or denied. A wording may begin inside another that it outreaches."""
        words, first, covered = self.lexicon.words, self.lexicon.root.next, 0
        # No wording has an empty word, so none goes on beyond the end.
        tokens = [*[words[word] for word in self.raw], ""]
        for at, word in enumerate(self.raw):
            node = first.get(tokens[at])
            if node is None:
                if at >= covered:
                    self._other(word, at)
                continue
            leaf, end, ahead = node.leaf, at + 1, at + 1
            while (node := node.next.get(tokens[ahead])) is not None:
                ahead += 1
                if node.leaf is not None:
                    leaf, end = node.leaf, ahead
            if at >= covered:
                if leaf is None:
                    self._other(word, at)
                else:
                    self._read(leaf, at, end)
                    covered = end
            elif end > covered and leaf is not None and not leaf.cues:
                self._read(leaf, at, end)
                covered = end
        self._close()
        return self._with_measures()

    def _other(self, word: str, at: int) -> None:
        """A word that no wording begins with."""
        self.soft = False
        if self.open:
            self._number(word, at)

    def _read(self, leaf: _Leaf, at: int, end: int) -> None:
        affirms, denies, measures, cues = leaf
        if cues:
            self._cue(cues, at, end)
        else:
            self.soft = False
        if affirms:
            self._mention(affirms, not self.negated, end)
        if denies:
            self._mention(denies, False, end)
        if measures:
            self._measure(measures, at, end)

    def _mention(self, of: tuple[int, ...], present: bool, end: int) -> None:
        if self.relative:
            of = tuple([i for i in of if i in self.lexicon.of_relatives])
        found = self.found
        for i in of:
            found[i] = present or found.get(i, False)
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
        """Give a number to the laboratory name it belongs to; any other word after a comma closes that."""
        last = self.open[-1]
        if token[0].isdigit() or token[0] in "<≤":
            numbers = _numbers(token)
            if last.value is None:
                if at - last.end <= _NUMBER_WITHIN:
                    last.value = numbers[0]
            elif last.limits is None and len(numbers) == 2 and "/" not in token:
                last.limits = (numbers[0], numbers[1])
            elif last.limits is None and token[0] in "<≤":
                last.limits = (float("-inf"), numbers[0])
        elif self.closing:
            self._close()

    def _close(self) -> None:
        self.done += self.open
        self.open = []
        self.closing = False

    def _cue(self, cues: frozenset[str], at: int, end: int) -> None:
        soft, self.soft = self.soft, False
        if "stop" in cues:
            self.negated = self.relative = False
            self.before = None
            self.recent.clear()
            if self.open:
                self._close()
            return
        if "soft" in cues:
            self.soft = True
            if self.raw[at] == "," and at and self.raw[at - 1] == "no":
                self.negated = False
            if self.raw[at] in (",", "and") and self.open:
                last = self.open[-1]
                self.closing = last.value is not None or last.after is not None or last.before is not None
            return
        if "subject" in cues and soft:
            self.negated = self.relative = False
        if "relative" in cues:
            self.relative = True
        if "speech" in cues:
            self.relative = False
        if not cues.isdisjoint(_QUALIFIERS):
            self._qualify(cues, at, end)
        if "negate" in cues:
            self.negated = True

    def _qualify(self, cues: frozenset[str], at: int, end: int) -> None:
        """A word such as "raised" or "negative": of the name or mention before it, or of what follows."""
        kind = next((k for k in ("normal", "high", "low") if k in cues), None)
        takers = [m for m in self.open if m.after is None and not (self.closing and m.before)]
        if kind and takers and at - takers[-1].end <= _QUALIFIER_WITHIN and not self._names_a_range(end):
            for m in takers:
                m.after = kind
            return
        if "deny_back" in cues and self.recent and at - self.recent[-1][1] <= _BACK_WITHIN:
            ahead = at
            for of, ended in reversed(self.recent):
                if ahead - ended > _BACK_WITHIN:
                    break
                self.found.update(dict.fromkeys(of, False))
                ahead = ended
            self.recent.clear()
            return
        if kind:
            self.before = ("normal" if self.negated else kind, end)

    def _names_a_range(self, end: int) -> bool:
        """Whether "normal" stands before a reference range and so says nothing itself."""
        following = self.raw[end] if end < len(self.raw) else ""
        return following[:1].isdigit() or following[:1] in ("<", "≤") or following in ("range", ":")

    def _with_measures(self) -> dict[int, bool]:
        items, found = self.lexicon.items, self.found
        for measure in self.done:
            for i in measure.of:
                present = measure.verdict(items[i])
                if present is not None:
                    found[i] = found.get(i, False) or present
        implied = self.lexicon.implied
        for i in [i for i, present in found.items() if present]:
            for other in implied[i]:
                found[other] = True
        return found


def _kept(text: str) -> list[str]:
    """The words that count. A possessive or "the" after a comma or "and" stays to mark a new subject."""
    kept: list[str] = []
    for token in _tokens(text):
        if token not in _DROPPED:
            kept.append(token)
        elif token in _OWNERS and kept and kept[-1] in (",", "and"):
            kept.append("owner")
    return kept


@lru_cache(maxsize=8192)
def mentions(text: str) -> Mapping[str, bool]:
    """Which findings `text` affirms (`True`) or denies (`False`), by id. Pure; the mapping is read-only."""
    lexicon = _lexicon()
    found = _Scan(lexicon, text).run()
    return MappingProxyType({lexicon.items[i].id: present for i, present in found.items()})
