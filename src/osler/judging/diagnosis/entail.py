"""Whether one told condition entails another: it names it, or a kind of it, and leaves none of it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from osler.judging.diagnosis.concepts import graph, lists
from osler.judging.diagnosis.phrases import Link, Phrase, Said, is_condition, phrase_of, slipped, told_as
from osler.judging.diagnosis.words import Words, initials_of

_BESIDE: Final[frozenset[Link]] = frozenset({"part", "bracket", "breaks", "and"})
_SHORT: Final = 4
_MODIFIES: Final[frozenset[Link]] = frozenset({"part", "bracket"})


def entails(one: Said, other: Said) -> Phrase | None:
    """The phrase of `one` that names `other`, a kind of it or the same; None if it does not entail it."""
    told: tuple[tuple[Link, Phrase], ...] = (("main", one.main), *one.more)
    for link, phrase in told:
        if not _asserts(one, link, phrase, other):
            continue
        if means(phrase, one, other.main) and all(_covered(one, phrase, *each, other) for each in other.more):
            return phrase
    return None


def is_name(said: Said) -> bool:
    """Whether it names a condition, known or not, rather than a number or what is to be done."""
    if said.main.main is not None or is_condition(said.main.head):
        return True
    return len(said.words) <= 3 and all(len(word) > 2 and word.isalpha() for word in said.words)


def names(one: Said, other: Said) -> bool:
    """Whether the first words of `one`, with what it adds, mean all that `other` says."""
    return means(one.main, one, other.main) and all(
        _covered(one, one.main, *each, other) for each in other.more
    )


def means(phrase: Phrase, said: Said, wanted: Phrase) -> bool:
    """Whether a phrase, with what is said beside it, names the wanted one or a kind of it."""
    if not phrase.words or not wanted.words or _opposed(phrase, said, wanted):
        return False
    if (phrase.free & lists().changers) - wanted.bag:
        return False
    return _by_concept(phrase, said, wanted) or _by_words(phrase, said, wanted)


def _by_concept(phrase: Phrase, said: Said, wanted: Phrase) -> bool:
    known = graph()
    if wanted.main is None or phrase.main is None or wanted.main not in known.above[phrase.main]:
        return False
    have = _closure(said)
    spoken = said.words | phrase.bag | known.told[phrase.main]
    others = (one for one in wanted.concepts if one != wanted.main)
    if not all(one in have or _all_in(known.first[one].split(), spoken) for one in others):
        return False
    return not _missing(wanted.free, spoken, wanted)


def _by_words(phrase: Phrase, said: Said, wanted: Phrase) -> bool:
    known = graph()
    if phrase.main is not None and wanted.main is not None:
        apart = wanted.main not in known.above[phrase.main] and phrase.main not in known.above[wanted.main]
        if apart:
            return False
    if phrase.head != wanted.head and not slipped(phrase.head, wanted.head):
        return False
    spoken = phrase.bag | frozenset(
        w for link, p in said.more if link in _MODIFIES or link == "cause" for w in p.bag
    )
    return not _missing(wanted.bag, spoken, wanted)


def _missing(words: Iterable[str], spoken: frozenset[str], wanted: Phrase) -> list[str]:
    """The words that are not spoken, apart from those that say nothing where others do."""
    known = graph().known
    idle = _idle(wanted)
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


def _closure(said: Said) -> frozenset[int]:
    known = graph()
    return frozenset(up for one in said.concepts for up in known.above[one])


def _opposed(phrase: Phrase, said: Said, wanted: Phrase) -> bool:
    spoken = phrase.bag | frozenset(w for link, p in said.more if link in _MODIFIES for w in p.bag)
    for group in lists().opposed:
        one, other = spoken & group, wanted.bag & group
        if one and other and not one & other:
            return True
    return False


def _asserts(said: Said, link: Link, phrase: Phrase, wanted: Said) -> bool:
    """Whether a phrase stands for the diagnosis, not for its setting, its effect or a rival of it."""
    if phrase is said.main:
        return True
    if link in _MODIFIES:
        return said.main.main is None or accompanies(said.main) or related(said.main, wanted)
    if link in ("cause", "and", "with"):
        if accompanies(said.main) or (said.main.main is None and link != "and"):
            return True
        return any(means(said.main, said, part) for _, part in wanted.more)
    return False


def spelt_out(said: Said, wanted: Said) -> Said:
    """An answer with unknown short words written out, where they are initials of words of the reference."""
    known = graph().known
    short = {w for w in said.words if 2 <= len(w) <= 6 and w.isalpha() and w not in known}
    initials = _initials(wanted) if short else {}
    if not any(word in initials for word in short):
        return said

    def written(phrase: Phrase) -> Phrase:
        return phrase_of(
            tuple(out for w in phrase.words for out in (initials.get(w, (w,)) if w in short else (w,)))
        )

    return told_as(written(said.main), [(link, written(phrase)) for link, phrase in said.more])


@lru_cache(maxsize=4096)
def _initials(wanted: Said) -> dict[str, Words]:
    """The initials of two and more words of a reference, or of another of its names, with the words."""
    known = graph()
    every = [wanted.main, *(part for _, part in wanted.more)]
    spelt = [part.words for part in every]
    spelt += [name for part in every if part.main is not None for name in known.names[part.main]]
    return {
        "".join(word[0] for word in span): span
        for words in reversed(spelt)
        for at in range(len(words))
        for end in range(at + 2, len(words) + 1)
        for span in (words[at:end],)
    }


def _covered(said: Said, asserted: Phrase, link: Link, part: Phrase, wanted: Said) -> bool:
    """Whether a further part of the reference (a cause, a kind, what goes with it) is told."""
    known = graph()
    if link == "bracket" and not _adds(part, wanted):
        return True
    if part.main is not None and part.main in _closure(said):
        return not _missing(part.free, said.words, part)
    told = said.words | frozenset(w for one in said.concepts for w in known.told[one])
    return not _missing(part.bag, told, part)


def _adds(inner: Phrase, wanted: Said) -> bool:
    """Whether the brackets of a reference say more than its name: not an abbreviation or another name."""
    if len(inner.words) == 1 and inner.words[0] == initials_of(" ".join(wanted.main.words)):
        return False
    if inner.main is not None and wanted.main.main is not None:
        return inner.main not in graph().above[wanted.main.main]
    return bool(inner.concepts) or bool(inner.bag & (lists().plain | lists().sites))


def accompanies(phrase: Phrase) -> bool:
    """Whether it is a finding, a complication or a common comorbidity, which may stand beside a diagnosis."""
    known = graph()
    if phrase.main is not None:
        return bool(known.above[phrase.main] & known.company)
    number = known.ids.get((phrase.head,))
    return not phrase.concepts and number is not None and number in known.company


def related(phrase: Phrase, wanted: Said) -> bool:
    """Whether a phrase names something broader or narrower than any part of the other."""
    known = graph()
    if phrase.main is None:
        return False
    return any(phrase.main in known.above[one] or one in known.above[phrase.main] for one in wanted.concepts)


def rivals(said: Said, asserted: Phrase, wanted: Said) -> Iterator[Phrase]:
    """Other conditions that stand beside the asserted one as its equals, and make it a list."""
    for link, phrase in (("main", said.main), *said.more):
        if (
            phrase is asserted
            or phrase.main is None
            or phrase.main == asserted.main
            or link not in (*_BESIDE, "main")
        ):
            continue
        if accompanies(phrase) or related(phrase, wanted) or not _complete(phrase):
            continue
        if link == "bracket" and len(phrase.words) == 1 and len(phrase.words[0]) <= _SHORT:
            continue  # an abbreviation, which may mean anything
        own = Said(asserted, (), asserted.bag, frozenset(asserted.concepts), True)
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
    return link == "cause" or _complete(phrase) or bool(phrase.bag & told.kinds)


def additions(said: Said, asserted: Phrase, wanted: Said) -> list[Words]:
    """What an answer adds as cause, organism or subtype: the words of each addition, without places etc."""
    told, known = lists(), graph()
    quiet = told.sites | told.plain | told.tails
    found: list[Words] = []
    spoken = wanted.words | frozenset(w for one in wanted.concepts for w in known.told[one])
    for link, phrase in (("main", asserted), *said.more):
        if phrase is asserted or adds_kind(link, phrase):
            words = tuple(
                w for w in _spoken(phrase) if w not in quiet and w not in spoken and not w.isdigit()
            )
            if words:
                found.append(words)
    return found


def _spoken(phrase: Phrase) -> Words:
    """The words of a phrase; a name that was read as one word by its own words."""
    known = graph()
    joined = {"".join(name): name for one in phrase.concepts for name in known.names[one]}
    return tuple(out for word in phrase.words for out in joined.get(word, (word,)))
