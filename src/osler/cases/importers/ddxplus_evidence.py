"""DDXPlus's evidences and conditions: each code's question, and a patient's answer to it as a statement.

Yes-or-no questions become statements by rule ("Do you have a fever?" -> "Has a fever." / "Does not have a
fever."); where no rule is sure of the grammar, the question is kept with its answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple

from osler.cases.importers.json_paths import clean, words_of
from osler.cases.importers.reading import open_bytes
from osler.errors import BadInput

# The companion files of a table of patients, which hold no cases.
COMPANIONS: Final = re.compile(
    r"(?:(?:release|ddxplus)_)?(?P<what>evidences|conditions)\.json", re.IGNORECASE
)
MAX_BYTES: Final = 20_000_000
_ADVERBS: Final = (
    r"(?:currently|regularly|often|sometimes|usually|frequently|constantly|generally|also|still|really)"
)
# After these, "you" is the subject; elsewhere it is the object.
_DOES: Final = re.compile(
    r"(^|\b(?:do|did|are|were|have|had|can|could|will|would|should|when|where|what|that|which|if|as|how|because|"
    r"and|or|while|since|after|before|whether) )you\b"
)


class _Pronouns(NamedTuple):
    """The replacements for you (subject), you (object), your, yours and yourself."""

    acts: str
    acted_upon: str
    possesses: str
    possessed: str
    itself: str


_THIRD: Final = _Pronouns("they", "them", "their", "theirs", "themselves")
_FIRST: Final = _Pronouns("I", "me", "my", "mine", "myself")
_HAVE: Final = re.compile(r"Do you have (?P<rest>.+)", re.DOTALL)
_HAVE_BEEN: Final = re.compile(r"Have you (?P<ever>ever )?(?!or\b|and\b)(?P<rest>.+)", re.DOTALL)
_ARE: Final = re.compile(r"Are you (?!or\b|and\b)(?P<rest>.+)", re.DOTALL)
_WERE: Final = re.compile(r"Were you (?!or\b|and\b)(?P<rest>.+)", re.DOTALL)
_DID: Final = re.compile(r"Did you (?!or\b|and\b|ever\b)(?P<rest>.+)", re.DOTALL)
_DO: Final = re.compile(
    rf"Do you (?P<how>{_ADVERBS} )?(?!or\b|and\b|ever\b|{_ADVERBS}\b)(?P<verb>[a-z]+)"
    r"(?P<rest>(?! or\b| and\b|/|,).*)",
    re.DOTALL,
)
_YES_OR_NO: Final = re.compile(r"(?:Do|Does|Did|Have|Has|Are|Is|Was|Were|Can|Could|Will|Would)\b")


class Evidence(NamedTuple):
    """A question and the meanings of its answers. `kind` is B (yes or no), C (one value) or M (several)."""

    code: str
    question: str
    kind: Literal["B", "C", "M"]
    antecedent: bool
    default: str
    meanings: Mapping[str, str]
    values: tuple[str, ...]


class Condition(NamedTuple):
    """A condition's English name and its ICD-10 code in upper case, `None` where it is malformed."""

    name: str
    icd10: str | None


class SpokenAnswer(NamedTuple):
    """An answer in the third person and in the speaker's own words."""

    text: str
    spoken: str
    absent: bool


def said_yes_or_no(question: str, yes: bool) -> SpokenAnswer:
    """The answer to a yes-or-no question as a statement."""
    asked = question.strip().rstrip("?:. ")
    result = _turned(asked, yes)
    if result is None:
        word = "yes" if yes else "no"
        return SpokenAnswer(f"Asked “{asked}?”: {word}.", f"To “{asked}?” I would say {word}.", not yes)
    third, first = result
    return SpokenAnswer(f"{_person(third, _THIRD)}.", f"I {_person(first, _FIRST)}.", not yes)


def said_values(evidence: Evidence, values: tuple[str, ...]) -> SpokenAnswer:
    """The answer to a question with values as a statement; the evidence's default value is a negative."""
    text = ", ".join(evidence.meanings.get(value, value) for value in values)
    numbers = [int(value) for value in evidence.values if value.isdecimal()]
    if numbers and all(value.isdecimal() and value not in evidence.meanings for value in values):
        text += f" on a scale from {min(numbers)} to {max(numbers)}"
    absent = values == (evidence.default,)
    asked = evidence.question.strip().rstrip("?:. ")
    turned = None if absent else _turned(asked, True)
    if turned:
        return SpokenAnswer(
            f"{_person(turned[0], _THIRD)}: {text}.", f"I {_person(turned[1], _FIRST)}: {text}.", False
        )
    mark = "?" if _YES_OR_NO.match(asked) else ":"
    return SpokenAnswer(
        f"{_person(asked, _THIRD)}{mark} {text}.", f"{_person(asked, _FIRST)}{mark} {text}.", absent
    )


def _turned(asked: str, yes: bool) -> tuple[str, str] | None:
    """The predicate of the statement in third and in first person; `None` where no rule is sure."""
    if match := _HAVE.fullmatch(asked):
        rest = match["rest"]
        some = rest.removeprefix("any ")
        return (f"Has {some}", f"have {some}") if yes else (f"Does not have {rest}", f"don't have {rest}")
    if match := _HAVE_BEEN.fullmatch(asked):
        how = "" if yes else "never " if match["ever"] else "not "
        return f"Has {how}{match['rest']}", f"have {how}{match['rest']}"
    for shape, third, first in ((_ARE, "Is", "am"), (_WERE, "Was", "was"), (_DID, "Did", "did")):
        if match := shape.fullmatch(asked):
            how = "" if yes else "not "
            return f"{third} {how}{match['rest']}", f"{first} {how}{match['rest']}"
    if match := _DO.fullmatch(asked):
        how, verb, rest = match["how"] or "", match["verb"], match["rest"]
        if not yes:
            return f"Does not {how}{verb}{rest}", f"don't {how}{verb}{rest}"
        third_person = f"{how}{_with_s(verb)}{rest}"
        return third_person[:1].upper() + third_person[1:], f"{how}{verb}{rest}"
    return None


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def _person(text: str, pronouns: _Pronouns) -> str:
    text = re.sub(r"\byourself\b", pronouns.itself, text)
    text = re.sub(r"\byours\b", pronouns.possessed, text)
    text = re.sub(r"\byour\b", pronouns.possesses, text)
    text = re.sub(r"\byou\b", pronouns.acted_upon, _DOES.sub(rf"\1{pronouns.acts}", text))
    return re.sub(r"\bI (are|were)\b", lambda match: "I am" if match[1] == "are" else "I was", text)


def evidences_beside(path: Path) -> dict[str, Evidence]:
    """The evidences by their codes, from the file beside `path`. Raises BadInput where it is unusable."""
    result = {}
    for code, item in _entries(_beside(path, "evidences")):
        question = words_of(item.get("question_en"))
        kind = words_of(item.get("data_type")).upper()
        meanings = item.get("value_meaning")
        values = item.get("possible-values", item.get("possible_values"))
        if question and kind in ("B", "C", "M"):
            result[code] = Evidence(
                code,
                question,
                "B" if kind == "B" else "C" if kind == "C" else "M",
                item.get("is_antecedent") is True or words_of(item.get("is_antecedent")).lower() == "true",
                words_of(item.get("default_value")),
                dict(_meanings(meanings)) if isinstance(meanings, Mapping) else {},
                tuple(words_of(value) for value in values) if isinstance(values, list) else (),
            )
    if not result:
        raise BadInput("no evidence has a question_en and a data_type", where=_beside(path, "evidences").name)
    return result


def conditions_beside(path: Path) -> dict[str, Condition]:
    """The conditions by all of their names, from the file beside `path`. Raises BadInput."""
    conditions: dict[str, Condition] = {}
    for key, item in _entries(_beside(path, "conditions")):
        names = [words_of(item.get(name)) for name in ("cond-name-eng", "condition_name", "cond-name-fr")]
        code = words_of(item.get("icd10-id")).upper()
        icd10 = code if re.fullmatch(r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?", code) else None
        condition = Condition(names[0] or key, icd10)
        for name in (key, *names):
            if name:
                conditions.setdefault(name.casefold(), condition)
    if not conditions:
        raise BadInput("holds no condition", where=_beside(path, "conditions").name)
    return conditions


def _meanings(found: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for value, meaning in found.items():
        text = words_of(meaning.get("en") if isinstance(meaning, Mapping) else meaning)
        if text:
            yield str(value), text


def _beside(path: Path, what: str) -> Path:
    """The path of `release_<what>.json` or the like in the folder of `path`."""
    items = sorted(
        item
        for item in path.parent.iterdir()
        if (match := COMPANIONS.fullmatch(item.name)) and match["what"].lower() == what
    )
    if not items:
        raise BadInput(
            f"release_{what}.json is missing beside it",
            where=path.name,
            hint="put DDXPlus's release_conditions.json and release_evidences.json into the same folder",
        )
    return items[-1]


def _entries(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The named entries of a JSON object, or of a list of objects that carry their name."""
    with open_bytes(path) as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise BadInput(f"is longer than {MAX_BYTES // 1_000_000} MB", where=path.name)
    try:
        data = json.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is not valid JSON: {error}"[:200], where=path.name) from None
    if not isinstance(data, dict | list):
        raise BadInput("is neither a JSON object nor a list", where=path.name)
    pairs = data.items() if isinstance(data, dict) else ((None, item) for item in data)
    for key, item in pairs:
        if isinstance(item, dict):
            name = key if key is not None else item.get("name", item.get("condition_name"))
            yield clean(str(name)), item
