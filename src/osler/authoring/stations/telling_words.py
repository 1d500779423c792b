"""The telling words of an item, and rules made of them: what is given, how much and by which way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from osler.authoring.stations import item_words
from osler.text.act_rules import stems

LEAD: Final = re.compile(
    r"^(?:(?:the |a |an |any |about |for |whether |if |that |to |on |of |in |into |at |as |with |and |has |have |had |is |are |was |were |been |there |"
    r"he |she |they |it |patient'?s? |his |her |their |history of |presence of |specifically |briefly |urgently |immediately |promptly |early |appropriately |clearly |correctly |plainly |again |also )+)",
    re.IGNORECASE,
)
OR: Final = re.compile(r"\s+or\s+|(?<=[a-z])/(?=[a-z])", re.IGNORECASE)
DOSE: Final = re.compile(
    r"(?<![\w.])(\d+(?:[.,]\d+)?)\s*(mg|milligrams?|g|grams?|micrograms?|mcg|µg|ug|ml|millilitres?|litres?|l|units?|mmol|iu)\b(?!\s*/\s*(?:min|hour|h\b|kg))",
    re.IGNORECASE,
)
_ROUTES: Final = re.compile(
    r"\b(?:im|i\.m\.|intramuscular(?:ly)?|iv|i\.v\.|intravenous(?:ly)?|sc|s\.c\.|subcut(?:aneous(?:ly)?)?|neb(?:s|uli[sz]ed|uli[sz]ers?)?"
    r"|po|p\.o\.|oral(?:ly)?|by mouth|sublingual(?:ly)?|sl|buccal|pr|rectal(?:ly)?|intranasal|by (?:nebuli[sz]er|mask|inhaler)|inhaled|topical)\b",
    re.IGNORECASE,
)
PURPOSE: Final = re.compile(
    r"\s*(?:,|\()?\s*\b(?:to (?:keep|maintain|achieve|target|treat|relieve|reduce|prevent|control|exclude|rule out|look for|confirm|assess)|aiming|aim(?:ed)?|targeting|target|for (?:the |a )?(?:pain|distress|fever|possible|suspected|comfort|primary|urgent|further|"
    r"definitive|signs?|evidence|\w+ (?:advice|review|opinion))|because|as (?:soon|per|part)|if (?:needed|required|necessary)|according|until|via|within|using|with (?:appropriate|correct|good))\b.*$",
    re.IGNORECASE,
)
_STOP: Final = frozenset(
    stem
    for word in (
        "the a an of to in on at by for with from into and or as is are was were be been being that this these those there it its his her their "
        "he she they them him patient patient's doctor candidate student mother father parent any all some other more most very than then "
        "appropriate appropriately correct correctly clear clearly plain plainly relevant suitable adequate adequately proper properly full fully brief briefly "
        "good safe safely early urgent urgently immediate immediately promptly timely prompt necessary needed possible likely about regarding whether if when "
        "how what which who where why has have had do does did may might can could should would will must need only also not no yes "
        "up out off over under again still already just one two three least first second each both between during after before within "
        "give given use used using make made take taken get got go goes passed pass put done thing things way ways number level levels "
        "high low new old main key important specific specifically general initial further future next time day days symptoms symptom signs sign "
        "history presence evidence including include such example eg words terms language simple lay diagnosis condition problem problems issue issues "
        "words working management plan options option thin needed that's"
    ).split()
    for stem in stems(word)
)
_OFFERING: Final = "would you like | do you want | shall i | shall we | can i | can we | could | would it help | offer | happy to | i will | we will | arrange | put you in touch | like i to | if you want | if you like"
_ADVISING: Final = "should | advise | recommend | need to | try | make sure | important | can | could | suggest | take | give | keep | must | avoid"
_MOST_WORDS: Final = 2


def bare(piece: str) -> str:
    """A piece without dose, route and purpose."""
    text = DOSE.sub(" ", PURPOSE.sub("", re.sub(r"\s*\([^)]*\)", " ", piece)))
    text = re.sub(
        r"\b\d+(?:[.,]\d+)?\s*(?:%|L/min|litres?/min|l\b|ml/kg|mg/kg|micrograms?/kg|mcg/kg|mmol\b)",
        " ",
        text,
        flags=re.IGNORECASE,
    )
    text = _ROUTES.sub(" ", text)
    bare = " ".join(LEAD.sub("", " ".join(text.split())).split())
    return re.sub(r"(?:\s+(?:by|via|with|in|to|at|for|of|on|as|a|an|the|per))+$", "", bare)


def content(text: str) -> list[str]:
    """The words of a text that say something, as written."""
    words = re.findall(r"[A-Za-z][A-Za-z'-]*[A-Za-z]|\b[A-Z]\b", DOSE.sub(" ", text))
    return [word for word in words if (stem := stems(word)) and not set(stem) <= _STOP]


def words_rule(text: str) -> str:
    """A rule for the telling words of a text, each in its other wordings; "or" gives alternatives."""
    either = [part for part in OR.split(text) if content(part)]
    if (
        len(either) > 1
        and all(len(content(part)) <= 2 for part in either[1:])
        and len(content(either[0])) <= 2
    ):
        ways = (way for part in either for way in item_words.alike(_best(content(part), 1)[0]))
        return " | ".join(dict.fromkeys(ways))
    words = content(text)
    return rule_of_words(text, words) if words else ""


def rule_of_words(text: str, words: Sequence[str]) -> str:
    """A rule for the most telling of a text's words, each in its other wordings."""
    phrases = item_words.phrases_in(text)[:1]
    used = {stem for phrase in phrases for stem in stems(phrase)}
    rest = [word for word in words if not set(stems(word)) & used]
    chosen = [*phrases, *_best(rest, _MOST_WORDS - len(phrases))]
    return " & ".join(" | ".join(item_words.alike(word.lower())) for word in chosen)


def _best(words: Sequence[str], most: int) -> list[str]:
    """The most telling words: those with others alike first, then the longest; in their own order."""
    if most < 1:
        return []
    ranked = sorted(
        set(words),
        key=lambda word: (not word.isupper(), -(len(item_words.alike(word.lower())) > 1), -len(word), word),
    )[:most]
    return [word for word in dict.fromkeys(words) if word in ranked]


def plain_say(rules: Iterable[str]) -> str:
    """Sentences that meet rules, one for each, from their first wordings."""
    result = []
    for rule in rules:
        groups = [group.split("|")[0].strip().replace(" * ", " ") for group in rule.split("&")]
        asks = "?" in groups
        words = " ".join(
            group for group in groups if group not in ("?",) and not group.startswith(("!", "@", "#"))
        )
        result.append(f"May I ask about {words}?" if asks else f"Let us talk about {words}.")
    return " ".join(result)


def manner_of(text: str) -> str:
    """Return the words for offering or advising, if an item is about that."""
    if re.match(r"offer", text, re.IGNORECASE):
        return _OFFERING
    return _ADVISING if re.match(r"advis|recommend|suggest", text, re.IGNORECASE) else ""


def plain_telling(rest: str, manner: str) -> str:
    """A sentence that tells what an item wants to be told."""
    about = re.sub(r"^(?:about|of|on|regarding)\s+", "", rest.strip())
    if manner:
        return f"I {'would like to offer you this' if manner is _OFFERING else 'advise this'}: {about}."
    clause = re.match(r"(?:that|what|how|why|when|where|whether|to)\b", about, re.IGNORECASE)
    return f"I want to tell you {'' if clause else 'about '}{about}."


def quoted(parts: Sequence[str]) -> str:
    """Parts of an item in quotation marks, each once, cut to a length that can be read."""
    return ", ".join(f'"{" ".join(part.split())[:60]}"' for part in dict.fromkeys(parts))
