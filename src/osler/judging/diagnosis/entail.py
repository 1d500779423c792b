"""Whether one told condition entails another: it names it, or a kind of it, and leaves none of it out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from osler.judging.diagnosis.concepts import graph, lists
from osler.judging.diagnosis.phrases import Link, Phrase, Phrasing, is_condition, phrase_of, slipped, told_as
from osler.judging.diagnosis.words import Words, initials_of

_BESIDE: Final[frozenset[Link]] = frozenset({"part", "bracket", "breaks", "and"})
_SHORT: Final = 4
_LONGEST_SHORT: Final = 8
_LONGEST_WORD: Final = 20
_FEW: Final = 8
"""The most known words that may begin with a shortened one."""
_DRUG: Final = "medication"
_LONGEST_NOUN: Final = 5
_MARKER: Final = re.compile(r"(?:anti[a-z]{2,}\d*|(?![pc]?[tnm]\d)[a-z]{2,6}\d{1,4}[a-z]?)$")
"""An antibody, a gene or a protein: "anti-LKM1", "ADAMTS13"."""
_MODIFIES: Final[frozenset[Link]] = frozenset({"part", "bracket"})
_ADDS_WORDS: Final[frozenset[Link]] = frozenset({"part", "bracket", "cause", "place"})


def entails(one: Phrasing, other: Phrasing) -> Phrase | None:
    """The phrase of `one` that names `other`, a kind of it or the same; None if it does not entail it."""
    told: tuple[tuple[Link, Phrase], ...] = (("main", one.main), *one.more)
    for link, phrase in told:
        if not _asserts(one, link, phrase, other):
            continue
        if means(phrase, one, other.main) and all(_covered(one, phrase, *each, other) for each in other.more):
            return phrase
    return None


def is_name(said: Phrasing) -> bool:
    """Whether an answer names a condition, known or not, rather than a number or something to do."""
    if said.main.main is not None or is_condition(said.main.head):
        return True
    return len(said.words) <= 3 and all(len(word) > 2 and word.isalpha() for word in said.words)


def names(one: Phrasing, other: Phrasing) -> bool:
    """Whether the first words of `one`, with what it adds, mean all that `other` says."""
    return means(one.main, one, other.main) and all(
        _covered(one, one.main, *each, other) for each in other.more
    )


def means(phrase: Phrase, said: Phrasing, wanted: Phrase) -> bool:
    """Whether a phrase, with what is said beside it, names the wanted one or a kind of it."""
    if not phrase.words or not wanted.words or _opposed(phrase, said, wanted):
        return False
    if (phrase.free & lists().changers) - wanted.bag:
        return False
    return _by_concept(phrase, said, wanted) or _by_words(phrase, said, wanted)


def _by_concept(phrase: Phrase, said: Phrasing, wanted: Phrase) -> bool:
    known = graph()
    if wanted.main is None or phrase.main is None:
        return False
    if wanted.main not in known.above[phrase.main] and wanted.main not in _composed(phrase, said):
        return False
    have = _closure(said)
    spoken = said.words | phrase.bag | known.told[phrase.main]
    others = (one for one in wanted.concepts if one != wanted.main)
    if not all(one in have or _all_in(known.first[one].split(), spoken) for one in others):
        return False
    return not _missing(wanted.free, spoken, wanted)


def _by_words(phrase: Phrase, said: Phrasing, wanted: Phrase) -> bool:
    """Whether the words of the wanted name, or of another name of it, are all said, of the same noun."""
    known = graph()
    if phrase.main is not None and wanted.main is not None:
        apart = wanted.main not in known.above[phrase.main] and phrase.main not in known.above[wanted.main]
        if apart:
            return False
    sites = lists().sites
    spoken = phrase.bag | frozenset(
        w
        for link, p in said.more
        if link in _ADDS_WORDS
        for w in (p.bag - sites if link == "cause" else p.bag)
    )
    spoken |= _implied(spoken, said)
    if _same_noun(phrase, wanted) and not _missing(wanted.bag, spoken, wanted):
        return True
    if wanted.concepts != (wanted.main,) or wanted.main is None or _missing(wanted.free, spoken, wanted):
        return False
    others = map(phrase_of, (name for name in known.names[wanted.main] if len(name) > 1))
    return any(_same_noun(phrase, other) and not _missing(other.bag, spoken, other) for other in others)


def _same_noun(phrase: Phrase, wanted: Phrase) -> bool:
    if phrase.head == wanted.head or slipped(phrase.head, wanted.head):
        return True
    short = tuple(word for word in wanted.words if word not in lists().tails)
    return 1 < len(short) < len(wanted.words) and phrase.words[-1:] == short[-1:]


def _implied(spoken: frozenset[str], said: Phrasing) -> frozenset[str]:
    """Return the words that these imply: a part its whole, an organism or a drug its class."""
    known, told = graph(), lists()
    classes = (name for one in _closure(said) if known.agent in known.above[one] for name in known.names[one])
    result = {word for words, more in told.implies if words <= spoken for word in more}
    result.update(name[0] for name in classes if len(name) == 1)
    if any(map(told.drugs.match, spoken)):
        result.add(_DRUG)
    return frozenset(result)


def _composed(phrase: Phrase, said: Phrasing) -> frozenset[int]:
    """The conditions that a name and a cause or place told beside it name together, and what they are kinds
    of: "lobar pneumonia due to Streptococcus pneumoniae" names pneumococcal pneumonia."""
    known = graph()
    if phrase.main is None:
        return frozenset()
    beside = [part for link, part in said.more if link in ("cause", "place")]
    beside.append(phrase._replace(concepts=tuple(one for one in phrase.concepts if one != phrase.main)))
    nouns = [
        name for up in known.above[phrase.main] for name in known.names[up] if len(name) <= _LONGEST_NOUN
    ]
    result: set[int] = set()
    for part in beside:
        words = {part.words} | {name for one in part.concepts for name in known.names[one]}
        for noun in nouns:
            for more in words:
                number = known.bags.get(frozenset(noun) | frozenset(more))
                if number is not None and number not in known.whole:
                    result |= known.above[number]
    return frozenset(result)


def _missing(words: Iterable[str], spoken: frozenset[str], phrase: Phrase) -> list[str]:
    """The words that are not spoken, apart from those that say nothing where others do."""
    known = graph().known
    idle = _idle(phrase)
    return [
        word
        for word in words
        if word not in spoken
        and word not in idle
        and not any(slipped(word, other) for other in spoken if other not in known)
    ]


def _idle(wanted: Phrase) -> frozenset[str]:
    """The last words of a name that add nothing to the others ("disease"), if those name something."""
    told = lists()
    at = len(wanted.words)
    while at and wanted.words[at - 1] in told.tails:
        at -= 1
    meant = frozenset(wanted.words[:at]) - told.sites
    return frozenset(wanted.words[at:]) if meant else frozenset()


def _all_in(words: Iterable[str], spoken: frozenset[str]) -> bool:
    return all(word in spoken for word in words)


def _closure(said: Phrasing) -> frozenset[int]:
    known = graph()
    return frozenset(up for one in said.concepts for up in known.above[one])


def _opposed(phrase: Phrase, said: Phrasing, wanted: Phrase) -> bool:
    spoken = phrase.bag | frozenset(w for link, p in said.more if link in _MODIFIES for w in p.bag)
    for group in lists().opposed:
        one, other = spoken & group, wanted.bag & group
        if one and other and not one & other:
            return True
    return False


def _asserts(said: Phrasing, link: Link, phrase: Phrase, wanted: Phrasing) -> bool:
    """Whether a phrase stands for the diagnosis, not for its setting, its effect or a rival of it."""
    if phrase is said.main:
        return True
    if link in _MODIFIES:
        return said.main.main is None or accompanies(said.main) or related(said.main, wanted)
    if link in ("cause", "and", "with"):
        if _leads(said.main, link) or (said.main.main is None and link != "and"):
            return True
        return any(means(said.main, said, part) for _, part in wanted.more)
    return False


def _leads(phrase: Phrase, link: Link) -> bool:
    """Whether a phrase may lead, with the diagnosis behind it: a finding or complication with its cause."""
    if link == "cause" or phrase.main is None:
        return accompanies(phrase)
    return phrase.main in graph().company


def spelt_out(said: Phrasing, wanted: Phrasing) -> Phrasing:
    """An answer with unknown short words written out, where they are initials of words of the reference."""
    free = said.main.free.union(*(phrase.free for _, phrase in said.more))
    words = [w for w in free if 2 <= len(w) <= _LONGEST_SHORT and w.isalpha() and (w,) not in graph().ids]
    initials = {word: span for word in words if (span := _written_out(word, said, wanted)) is not None}
    if not initials:
        return said

    def written(phrase: Phrase) -> Phrase:
        return phrase_of(tuple(out for w in phrase.words for out in initials.get(w, (w,))))

    return told_as(written(said.main), [(link, written(phrase)) for link, phrase in said.more])


def _written_out(word: str, said: Phrasing, wanted: Phrasing) -> Words | None:
    """Expand a short word beside a reference: its initials, or the beginning of one of its words.

    A word of two letters, or one that means something by itself, may only be the initials of a whole name.
    """
    if word in lists().quiet:
        return None
    known, span = graph().known, _initials(wanted).get(word)
    own = wanted.main.words
    entire = span is not None and (
        span in (own, *_names_of(wanted.main))
        or (own[-len(span) :] == span and all(other in said.words for other in own[: -len(span)]))
    )
    if span is not None and len(word) == 2 and (not entire or span[-1] in lists().tails):
        return None
    if word in known:
        return span if entire else None
    if span is not None or len(word) < _SHORT:
        return span
    begun = {full for full in wanted.words if full.startswith(word) and len(full) > len(word) + 2}
    rivals = sum(other.startswith(word) and len(other) < _LONGEST_WORD for other in known)
    return (begun.pop(),) if len(begun) == 1 and rivals <= _FEW else None


def _names_of(phrase: Phrase) -> tuple[Words, ...]:
    return () if phrase.main is None else graph().names[phrase.main]


@lru_cache(maxsize=4096)
def _initials(wanted: Phrasing) -> dict[str, Words]:
    """The initials of two and more words of a reference, or of another of its names, with the words."""
    every = [wanted.main, *(part for _, part in wanted.more)]
    spelt = [part.words for part in every]
    spelt += [name for part in every for name in _names_of(part)]
    return {
        "".join(word[0] for word in span): span
        for words in reversed(spelt)
        for at in range(len(words))
        for end in range(at + 2, len(words) + 1)
        for span in (words[at:end],)
    }


def _covered(said: Phrasing, asserted: Phrase, link: Link, part: Phrase, wanted: Phrasing) -> bool:
    """Whether a further part of the reference (a cause, a kind, what goes with it) is told."""
    known = graph()
    if link == "bracket" and not _adds(part, wanted):
        return True
    if part.main is not None and part.main in _closure(said):
        return not _missing(part.free, said.words, part)
    told = said.words | frozenset(w for one in said.concepts for w in known.told[one])
    told |= _implied(told, said)
    needed = part.bag - lists().taken if link == "cause" else part.bag
    return not _missing(needed or part.bag, told, part)


def _adds(inner: Phrase, wanted: Phrasing) -> bool:
    """Whether the brackets of a reference say more than its name: not an abbreviation or another name."""
    if len(inner.words) == 1 and inner.words[0] == initials_of(" ".join(wanted.main.words)):
        return False
    if inner.main is not None and wanted.main.main is not None:
        return inner.main not in graph().above[wanted.main.main]
    return bool(inner.concepts) or bool(inner.bag & (lists().plain | lists().sites)) or _marked(inner)


def _marked(phrase: Phrase) -> bool:
    """Whether a phrase names an antibody, a gene or a protein."""
    return any(_MARKER.match(word) and word not in lists().quiet for word in phrase.words)


def accompanies(phrase: Phrase) -> bool:
    """Whether a phrase is a finding, complication or common comorbidity, which may accompany a diagnosis."""
    known = graph()
    if phrase.main is not None:
        return bool(known.above[phrase.main] & known.company)
    number = known.ids.get((phrase.head,))
    return not phrase.concepts and number is not None and number in known.company


def related(phrase: Phrase, wanted: Phrasing) -> bool:
    """Whether a phrase names something broader or narrower than any part of the other."""
    known = graph()
    if phrase.main is None:
        return False
    return any(phrase.main in known.above[one] or one in known.above[phrase.main] for one in wanted.concepts)


def rivals(said: Phrasing, asserted: Phrase, wanted: Phrasing) -> Iterator[Phrase]:
    """Other conditions that stand beside the asserted one as its equals, and make it a list."""
    explained = any(
        link == "bracket" and (accompanies(phrase) or related(phrase, wanted)) for link, phrase in said.more
    )
    for link, phrase in (("main", said.main), *said.more):
        if link == "bracket" and explained:
            continue
        if (
            phrase is asserted
            or phrase.main is None
            or asserted.main in (phrase.main, *phrase.concepts)
            or link not in (*_BESIDE, "main")
        ):
            continue
        if accompanies(phrase) or related(phrase, wanted) or not _complete(phrase):
            continue
        if link == "bracket" and len(phrase.words) == 1 and len(phrase.words[0]) <= _SHORT:
            continue  # an abbreviation, which may mean anything
        own = Phrasing(asserted, (), asserted.bag, frozenset(asserted.concepts), True)
        if not related(phrase, own) and link != "main":
            yield phrase


def _complete(phrase: Phrase) -> bool:
    """Whether a phrase is a name and nothing else, apart from place, course and the like."""
    told = lists()
    return not phrase.free - told.sites - told.plain - told.tails


def adds_kind(link: Link, phrase: Phrase) -> bool:
    """Whether an addition says which kind it is, and is no finding, complication, setting or explanation."""
    if link not in ("cause", "part", "bracket"):
        return False
    told, known = lists(), graph()
    agent = phrase.main is not None and known.agent in known.above[phrase.main]
    if accompanies(phrase) and not agent:
        return False
    if link == "cause" or _complete(phrase) or phrase.bag & told.kinds:
        return True
    return _marked(phrase)


def additions(said: Phrasing, asserted: Phrase, wanted: Phrasing) -> list[tuple[Words, ...]]:
    """The causes, organisms and subtypes that an answer adds, without places, course and the like.

    Each addition is told in one or more wordings, of which one is enough to bear it out: a subtype with what
    stands in brackets after it, a cause with its place.
    """
    known = graph()
    broader = frozenset(w for one in wanted.concepts for w in known.told[one])
    spoken = wanted.words | frozenset(w for w in broader if not _is_agent(w))
    kinds: list[Words] = []
    causes: list[list[Words]] = []
    before: Link = "main"
    for link, phrase in (("main", asserted), *said.more):
        words = tuple(w for w in _spoken(phrase) if w not in spoken and not _quiet(w))
        if link == "place" and before == "cause" and causes:
            causes[-1].append(words)
        elif words and link == "cause" and phrase is not asserted:
            causes.append([words])
        elif words and (phrase is asserted or adds_kind(link, phrase)):
            kinds.append(words)
        before = link
    return [tuple(each) for each in ([kinds] if kinds else []) + causes]


def _is_agent(word: str) -> bool:
    known = graph()
    number = known.ids.get((word,))
    return number is not None and known.agent in known.above[number]


def _quiet(word: str) -> bool:
    """Whether a word says place, severity, course, age or form, which a case need not bear out."""
    told = lists()
    return word in told.quiet or word.isdigit()


def _spoken(phrase: Phrase) -> Words:
    """The words of a phrase; a name that was read as one word by its own words."""
    known = graph()
    joined = {"".join(name): name for one in phrase.concepts for name in known.names[one]}
    return tuple(out for word in phrase.words for out in joined.get(word, (word,)))
