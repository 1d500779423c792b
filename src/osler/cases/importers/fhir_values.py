"""FHIR R4's data types as text: concepts, quantities, observed values, dates. No seat is shown a code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final

from osler.cases.importers.json_paths import words_of

Json = Mapping[str, object]

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_NORMAL: Final = frozenset(("n", "normal", "neg", "negative", "nd", "nr", "not detected", "non reactive"))
_ABNORMAL: Final = frozenset(
    "a aa h hh hu l ll lu pos positive abnormal high low det detected rr reactive < > critical".split()
)
_DAYS_A_YEAR: Final = 365.25
_YOUNG_YEARS: Final = 2
# Below these keys are people, places and extensions: of them only what is coded is rendered as text.
_PEOPLE: Final = frozenset(
    "identifier name telecom address photo contact subject patient performer recorder asserter requester "
    "individual provider insurer serviceProvider author participant location custodian extension "
    "modifierExtension actor informationSource source owner practitioner recipient".split()
)
_PEOPLE_TYPES: Final = frozenset(
    "Patient Practitioner PractitionerRole RelatedPerson Organization Person Location".split()
)
_CODES: Final = frozenset(
    "id birthDate div data url system code reference fullUrl resourceType status use linkId version lot "
    "lotNumber meta".split()
)
# What is coded of a person or in an extension.
_CONCEPTS: Final = frozenset(("valueCoding", "valueCodeableConcept", "type", "role", "function"))
# Keys of free text, in which somebody may have written a name.
_PROSE: Final = frozenset(
    "conclusion comment comments description patientInstruction clinicalNotes summary title".split()
)
_BRACES: Final = re.compile(r"\{[^{}]*\}")
_UNITS: Final = {
    "Cel": "°C",
    "[degF]": "°F",
    "mm[Hg]": "mmHg",
    "a": "years",
    "mo": "months",
    "wk": "weeks",
    "d": "days",
    "[in_i]": "in",
    "[lb_av]": "lb",
    "10*3/uL": "×10³/µL",
    "10*6/uL": "×10⁶/µL",
    "10*9/L": "×10⁹/L",
    "10*12/L": "×10¹²/L",
}


def mapping(value: object) -> Json:
    """The value as an object, or the first object of a list; empty for anything else."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, Mapping)), None)
    return value if isinstance(value, Mapping) else {}


def listed(value: object) -> list[Json]:
    """The objects of a list; a lone object counts as a list of one."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, Mapping)]


def concept(value: object) -> str:
    """The text of a CodeableConcept, else the display names of its codings; empty where it has only codes."""
    if isinstance(value, str):
        return words_of(value)
    result = mapping(value)
    return next(iter(concept_names(result)), "")


def concept_names(value: object) -> tuple[str, ...]:
    """Every wording of a CodeableConcept, its text first."""
    result = mapping(value)
    result = mapping(result.get("concept")) or result  # a CodeableReference of R5
    told = [words_of(result.get("text")), words_of(result.get("display"))]
    told += [words_of(coding.get("display")) for coding in listed(result.get("coding"))]
    return tuple(dict.fromkeys(text for text in told if text))


def codes(value: object) -> frozenset[str]:
    """The codes and displays of concepts, in lower case: for statuses, categories and interpretations."""
    result: set[str] = set()
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            result.add(item.lower())
            continue
        for coding in (mapping(item), *listed(mapping(item).get("coding"))):
            result |= {words_of(coding.get(key)).lower() for key in ("code", "display", "text")}
    return frozenset(result - {""})


def day(value: object) -> str:
    """The day of a date, of a date and time, or of the start of a period, as precisely as it is given."""
    if isinstance(value, Mapping):
        value = value.get("start") or value.get("end")
    hit = _DATE.match(words_of(value))
    return hit[0] if hit else ""


def age_between(born: str, when: str) -> float | None:
    """The age in years from one day to another, in whole years, or months below two years.

    Anything finer would reveal the birthday.
    """
    first, last = _calendar_day(born), _calendar_day(when)
    if first is None or last is None or last < first:
        return None
    before_birthday = (last.month, last.day) < (first.month, first.day)
    years = last.year - first.year - before_birthday
    if years >= _YOUNG_YEARS:
        return float(years)
    return round(int((last - first).days / _DAYS_A_YEAR * 12) / 12, 2)


def _calendar_day(text: str) -> date | None:
    match = _DATE.fullmatch(text)
    if not match:
        return None
    try:
        return date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return None


# More digits than these, and more of them behind the point, were calculated and not measured: such a number
# is cut to four.
_MEASURED_DIGITS: Final = 6
_MEASURED_PLACES: Final = 4
_KEPT_DIGITS: Final = 4
# Beyond these powers of ten a number is written as the source writes it (1e-30).
_WRITTEN_OUT: Final = 15


def number_of(value: object) -> str:
    """A number with its digits; empty for what is none, such as NaN. A text is given as it stands."""
    if not isinstance(value, float):
        return words_of(value)
    written = repr(value)
    try:
        number = Decimal(written)
    except InvalidOperation:
        return ""
    if not number.is_finite():
        return ""
    _, digits, exponent = number.as_tuple()
    if not number:
        return "0"
    if len(digits) > _MEASURED_DIGITS and isinstance(exponent, int) and -exponent > _MEASURED_PLACES:
        # Digits before the point are never cut.
        places = _KEPT_DIGITS - 1 - number.adjusted()
        number = round(number, places) if places > 0 else number.to_integral_value()
    if abs(number.adjusted()) > _WRITTEN_OUT:
        return written
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity(value: object) -> str:
    """`13.2 g/dL`, `<0.01 ng/mL`; in a unit, what stands in braces ({score}) is a remark and is left out."""
    result = mapping(value)
    unit = words_of(result.get("unit")) or words_of(result.get("code"))
    unit = _BRACES.sub("", _UNITS.get(unit, unit)).strip()
    number = number_of(result.get("value"))
    text = f"{words_of(result.get('comparator'))}{number}"
    return f"{text} {unit}" if number and unit and unit != "1" else text


def observed(found: Json) -> str:
    """The value of an Observation or of a component, with its reference range; empty where there is none."""
    value = _value(found)
    parts = (
        f"{concept(part.get('code'))}: {observed(part)}"
        for part in listed(found.get("component"))
        if _value(part)
    )
    text = "; ".join(text for text in (value, *parts) if text)
    usual = _range(found) if value else ""
    return f"{text} ({usual})" if usual else text


def _value(found: Json) -> str:
    for key, value in found.items():
        if not key.startswith("value"):
            continue
        kind = key.removeprefix("value")
        if kind == "Quantity":
            return quantity(value)
        if kind == "CodeableConcept":
            return concept(value)
        if kind == "Range":
            return _between(mapping(value))
        if kind == "Ratio":
            ratio = mapping(value)
            return f"{quantity(ratio.get('numerator'))}:{quantity(ratio.get('denominator'))}".strip(":")
        if kind in ("DateTime", "Period", "Time"):
            return day(value) or words_of(value)
        if kind in ("String", "Boolean", "Integer"):
            return words_of(value)
    return ""


def _range(found: Json) -> str:
    usual = mapping(found.get("referenceRange"))
    words = words_of(usual.get("text")) or _between(usual)
    return f"reference {words}" if words else ""


def _between(ends: Json) -> str:
    low, high = quantity(ends.get("low")), quantity(ends.get("high"))
    if low and high:
        return f"{low} to {high}"
    return f"at least {low}" if low else f"at most {high}" if high else ""


def is_abnormal(found: Json) -> bool | None:
    """Whether an Observation is abnormal, by its interpretation, its reference range, or any component."""
    said = codes(found.get("interpretation"))
    if said & _ABNORMAL:
        return True
    if said & _NORMAL:
        return False
    verdicts = [_outside(found), *(is_abnormal(part) for part in listed(found.get("component")))]
    known = [verdict for verdict in verdicts if verdict is not None]
    return any(known) if known else None


def _outside(found: Json) -> bool | None:
    value, usual = mapping(found.get("valueQuantity")), mapping(found.get("referenceRange"))
    number = value.get("value")
    ends = [mapping(usual.get(end)) for end in ("low", "high")]
    units = {words_of(end.get("unit")) for end in (value, *ends) if end}
    if not isinstance(number, (int, float)) or isinstance(number, bool) or len(units) > 1:
        return None
    low, high = (end.get("value") for end in ends)
    checks = []
    if isinstance(low, (int, float)):
        checks.append(number < low)
    if isinstance(high, (int, float)):
        checks.append(number > high)
    return any(checks) if checks else None


def words_within(found: Json) -> Iterator[str]:
    """The words, numbers and codes in a resource, without references, people and their identifiers.

    A coding is given by its display; only one without a display by its system and code.
    """
    for key, value in found.items():
        for item in _items(value):
            if not isinstance(item, Mapping):
                if key not in _PEOPLE | _CODES and (text := _leaf_words(item)):
                    yield text
            elif key in _PEOPLE:
                yield from _coded_within(item)
            elif key not in _CODES - {"code"} and words_of(item.get("resourceType")) not in _PEOPLE_TYPES:
                yield from words_within(item)
    if code := _lone_code(found):
        yield code


def _items(value: object) -> Iterator[object]:
    if isinstance(value, list):
        for item in value:
            yield from _items(item)
    else:
        yield value


def _leaf_words(value: object) -> str:
    return (repr(value) if number_of(value) else "") if isinstance(value, float) else words_of(value)


def _lone_code(found: Json) -> str:
    """The system and code of a coding that has no words."""
    code = found.get("code")
    if not isinstance(code, str) or any(key in found for key in ("display", "text", "value", "unit")):
        return ""
    system = words_of(found.get("system")).removeprefix("http://").removeprefix("https://")
    return f"{system} {words_of(code)}".strip()


def _coded_within(found: Json) -> Iterator[str]:
    """The words of the CodeableConcepts and Codings below something else."""
    if "coding" in found:
        yield from concept_names(found)
        for coding in listed(found.get("coding")):
            if code := _lone_code(coding):
                yield code
        return
    for key, value in found.items():
        for item in _items(value):
            if isinstance(item, Mapping):
                yield from words_within(item) if key in _CONCEPTS else _coded_within(item)
            elif key == "valueCode" and (text := words_of(item)):
                yield text


def prose_within(found: Json, *, noted: bool = False) -> Iterator[str]:
    """The free texts of a resource: values, notes, conclusions, in which a name may stand."""
    for key, value in found.items():
        for item in _items(value):
            if isinstance(item, Mapping):
                if key not in _PEOPLE:
                    yield from prose_within(item, noted=key == "note")
            elif isinstance(item, str) and (
                key in _PROSE or key.endswith(("String", "Markdown")) or (noted and key == "text")
            ):
                yield words_of(item)
