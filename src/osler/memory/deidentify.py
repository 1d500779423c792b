"""De-identification of memory cards: removal of names, dates, addresses, numbers and ids.

Patterns find identifiers of recognizable form: titles with names, self-introductions, dates with a day or a
month, street addresses, post codes, phone numbers, e-mail, links, record numbers. A bare name in running text
has none; pass the names and ids that are known (`known`). Measurements, doses, grades, bare months and years
are kept, because they are what is to be learnt; so is anything that might be a grade or a share ("9/03").
Follows the list of identifiers in 45 CFR 164.514(b)(2) as far as they show in text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from osler.cases.model import Case
from osler.models.types import encodable

_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_NTH: Final = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_TEEN: Final = r"\w{3,6}teen(?:th)?"
_SPOKEN: Final = (
    rf"(?:{_NTH}|{_TEEN}|tenth|eleventh|twelfth|twent(?:y|ieth)|thirt(?:y|ieth)|two thousand|O)\b"
    rf"(?:[ -](?:{_NTH}|{_TEEN}|thousand|hundred|and|o|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|twenty)\b)*"
)
_NAME: Final = r"(?!(?:I|It)\b)[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*"
_RULES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("[link]", re.compile(r"\b(?:https?://|www\.)[^\s<>\[\]]+", re.IGNORECASE)),
    ("[e-mail]", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")),
    (
        "[date]",
        re.compile(
            r"\b\d{4}-\d{1,2}-\d{1,2}\b(?:T[\d:.]+Z?)?"
            r"|\b\d{1,2}([/.-])\d{1,2}\1(?:19|20)?\d{2}\b"
            rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}}\b)?"
            rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?"
            rf"|\b{_MONTH}(?: of)?,? (?:\d{{4}}\b|{_SPOKEN})"
            r"|\d{4}年\d{1,2}月(?:\d{1,2}日)?"
        ),
    ),
    (
        "[address]",
        re.compile(
            rf"\b\d{{1,5}}[A-Za-z]? (?:{_NAME} ){{1,3}}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court"
            r"|Ct|Square|Sq|Close|Crescent|Boulevard|Blvd|Terrace|Way|Place)\b\.?"
        ),
    ),
    ("[post code]", re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\b[A-Z]{2} \d{5}(?:-\d{4})?\b")),
    (
        "[phone]",
        re.compile(
            r"(?<![\w.])(?:\+\d{1,3}[ -]?(?:\(?\d{1,5}\)?[ -]?){2,5}\d|\(\d{3}\) ?\d{3}[-. ]\d{4}"
            r"|\d{3}[-. ]\d{3}[-. ]\d{4}|0\d{2,4}[ -]\d{3,4}[ -]?\d{3,4})(?![\w])"
        ),
    ),
    (
        "[id]",
        re.compile(
            r"\b(?:MRN|NHS(?: number| no)?|SSN|(?:patient|record|hospital|case|account)(?: id| number| no))\b"
            r"\.?[:# ]*(?=[\w-]{0,40}\d)[\w-]+(?: \d{3,4})*"
            r"|\b\d{3}-\d{2}-\d{4}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
            r"|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{16,}\b|(?<![\d.,])\d{9,}(?![\d.,])",
            re.IGNORECASE,
        ),
    ),
    (
        "[name]",
        re.compile(
            rf"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Mister|Doctor|Prof|Professor|Nurse)\b\.?(?: {_NAME}){{1,3}}"
            rf"|(?<=\b[Mm]y name is ){_NAME}(?: {_NAME}){{0,2}}|(?<=\b[Cc]alled ){_NAME}(?: {_NAME}){{1,2}}"
        ),
    ),
    (
        "[90 or older]",
        re.compile(r"\b(?:9\d|1[0-2]\d)(?=[ -]years?[ -]old\b)|(?<=\baged )(?:9\d|1[0-2]\d)\b"),
    ),
)
_SHORTEST: Final = 3


def scrub(text: str, known: Iterable[str] = ()) -> str:
    """Replace each identifier by a mark such as "[date]". Idempotent.

    `known` are names and ids to remove whatever their form, case-insensitively; those of fewer than three
    characters are skipped, because they would match everywhere.
    """
    text = encodable(text)
    wanted = sorted(
        {each.strip() for each in known if len(each.strip()) >= _SHORTEST}, key=lambda w: (-len(w), w)
    )
    for each in wanted:
        text = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", "[name]", text, flags=re.IGNORECASE)
    for mark, rule in _RULES:
        text = rule.sub(mark, text)
    return text


def identified(text: str) -> bool:
    """Whether the text contains an identifier that `scrub` would remove."""
    return scrub(text) != encodable(text)


def identifiers_of(case: Case) -> tuple[str, ...]:
    """The ids by which a case is known elsewhere. A bare record number such as "17" is left out: it
    identifies nothing by itself."""
    record = case.provenance.record
    telling = (record,) if re.search(r"[^\W\d]", record) else ()
    return (case.id, case.content_hash, *telling)
