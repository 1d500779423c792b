"""Orders that leave out what a careful nurse must know: "some bloods", "something for the itch", no dose."""

from __future__ import annotations

import re
from typing import Final

from osler.text.act_rules import stems
from osler.text.order_synonyms import also_said
from osler.text.quantities import doses, in_figures
from osler.text.tokens import lowered

INDEFINITE: Final = re.compile(
    r"^(?:get|have) (?:you|her|him) (?:scanned|imaged)$|\bsome (?:kind of |sort of )?(?:follow[\s-]?up"
    r"|referral|support|tests?)\b"
)
SOMETHING: Final = re.compile(
    r"\b(?:give|giving|get|start|put|prescribe|push|try|write|have)\b.*\b(?:something"
    r"|sth)\b(?!\s+(?:to (?:eat|drink|write|read|wipe)|warm|hot|cold|soft)\b)"
)
_DRUG: Final = re.compile(
    r"\b(?:antibiotics?|antimicrobials?|(?:vaso)?pressors?|inotropes?|pain\s?killers?"
    r"|analgesi\w+|pain relief|sedat\w+|anti-?convulsants?|anti-?epileptics?|fluids?|drips?|crystalloids?"
    r"|steroids?|anti-?histamines?|anti-?emetics?|contracepti\w+|birth control|pills?|tablets?|injections?"
    r"|medicines?|medications?|drugs?|meds|infusions?|ppis?|benzos?|anticoagulants?|diuretics?|insulin"
    r"|oxygen|o2|bolus|blood products|nebs?|nebuli[sz]ers?|keppra|antidotes?)\b"
)
_TEST: Final = re.compile(
    r"\b(?:bloods?(?! pressure| group)|blood ?tests?|blood ?work|labs|tests?|investigations?|scans?"
    r"|imaging|swabs?"
    r"|cultures?|samples?|x-?rays?|films?|scanned|imaged)\b"
)
_ORDERING: Final = re.compile(
    r"^(?:give|get|start|put|hang|run|send|take|order|arrange|prescribe|push|load|commence|administer|book"
    r"|change|switch|add|try|request|draw|set|sort|write|pop|infuse|connect|stick|bung|whack|giving|starting"
    r"|putting|sending|taking|prescribing|ordering|need|a|an|some|the|more|another)\b"
)
_REFERS: Final = re.compile(
    r"^(?:refer|referring|escalate|call|ring)\s+(?:her|him|this|the|them|it|me)?\s*(?:case|patient|lady"
    r"|man|somebody"
    r"|someone)?\s*(?:now|on|up|urgently|for me)?$|\bsome(?: kind of| sort of)? (?:follow[\s-]?up"
    r"|referral|support)\b"
)
_GIVES: Final = re.compile(
    r"^(?:get\b(?=.*\binto\b)|(?:give|start|push|hang|infuse|inject|administer|prescribe|load|change"
    r"|switch)\b)(?!\s+(?:me|us|you|your|with)\b)"
    r".*\b(?:her|him|into|the patient|bed \w+)\b(?!.*\b(?:here|up|back|home|outside)\b)"
)
_BOLUS: Final = re.compile(r"\b(?:bolus(?:es)?|challenge|bag|pint|unit)\b")
_SUCH: Final = re.compile(r"\bsuch as\b|\bof \d+ units\b")
_MOST_ML: Final = 3000.0
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def questions(core: str) -> tuple[str, ...]:
    """The questions about an order in lower case that names only a kind of thing, if it does."""
    if _REFERS.search(core):
        return ("To whom, doctor, and for when?",)
    if not _ORDERING.match(core) or doses(core):
        return ()
    if SOMETHING.search(core) or _DRUG.search(core) or _GIVES.match(core):
        return ("What exactly, doctor: which one, how much and by which route?",)
    return ("Which ones exactly, doctor?",) if _TEST.search(core) else ()


def wants_dose(what: str, words: str) -> bool:
    """Whether a treatment is declared (`what`) with an amount, and the words that order it name none.

    Of a treatment in two parts ("a backslab and gives paracetamol 1 g") the words may mean the other part.
    """
    if _SUCH.search(what) or " ready " in what:
        return False
    figures = in_figures(words)
    numbers = frozenset(_NUMBER.findall(figures))
    if doses(words) or numbers & frozenset(_NUMBER.findall(in_figures(what))):
        return False
    amounts = [dose for dose in doses(what) if dose.unit != "ml" or dose.amount <= _MOST_ML]
    if not amounts or (all(dose.unit == "ml" for dose in amounts) and _BOLUS.search(lowered(words))):
        return False
    parts = re.split(r",? and gives |, with |: ", what)
    pairs = frozenset((*stems(words), *also_said(words)))
    return not any(not doses(part) and pairs & _telling(part) for part in parts)


def _telling(part: str) -> frozenset[str]:
    """The words of a part of a declared act that tell it from others."""
    return frozenset(stem for stem in stems(part) if len(stem) > 3 and not stem.isdigit()) - _COMMON


_COMMON: Final = frozenset(
    stems("gives puts starts into prescribes arranges first second dose second repeats with that after for")
)
