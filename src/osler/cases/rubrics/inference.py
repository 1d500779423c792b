"""Inference of item traits from the wording, by rule. People correct them in a side file.

Marks are read from one item alone: that it is critical, its points, or that it is a mere finding. Levels are
items of one scale ("Poor: ..." and "Good: ...", or an act done fully or partly), of which one should hold, so
that together they count once. They are found within one competency by two rules: a run of items that begin
with the words of one scale, and items equal except for words of degree.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from osler.cases.rubrics.model import COMPETENCIES, Rubric, RubricItem, Traits
from osler.cases.rubrics.points import read_points
from osler.cases.rubrics.polarity import acts, polarity
from osler.text.phrases import words


def infer(rubric: Rubric) -> Rubric:
    """The same rubric with inferred traits."""
    result = {key: level for name in COMPETENCIES for key, level in levels(rubric.of(name)).items()}
    made = []
    for item in rubric.items:
        traits = _traits(item)
        if level := result.get(item.id):
            # The lowest level of a group earns nothing, whatever its wording.
            traits = traits.model_copy(
                update={
                    "group": level.group,
                    "level": level.value,
                    "negative": level.value == 0,
                    "finding": False,
                }
            )
        made.append(traits)
    return rubric.with_traits(made)


def unsure(item: RubricItem) -> bool:
    """Whether the wording leaves an item's polarity open, so that a person should check it."""
    traits = item.traits
    return not polarity(item.text).sure and not traits.group and not traits.finding


def _traits(item: RubricItem) -> Traits:
    read, worth = polarity(item.text), points(item.text)
    taken_off = worth is not None and worth < 0
    told = not read.negative and not taken_off and finding(item.text, acts(item.text))
    return Traits(
        negative=read.negative or taken_off,
        by_absence=read.by_absence and not told,
        critical=critical(item.text),
        finding=told,
        weight=1.0 if worth is None else abs(worth),
    )


_CRITICAL: Final = re.compile(
    r"^[^*]*\S\*{1,3}\s*$|^\W*critical(?:ly)? (?:actions?|items?|steps?|errors?|fail\w*|behaviou?rs?|"
    r"tasks?|elements?|points?|criteri\w+)\b"
    r"|^\W*critical\W*[:–—-]|[(\[]\s*(?:\w+ )?(?:critical|required|mandatory|must[- ]do|"
    r"essential)(?: (?:action|item|step|element|error|failure))?\s*[)\]]"
    r"|^\W*(?:mandatory|dangerous|harmful|fatal)\b|^\W*must\b(?! not (?:miss|be missed))|"
    r"\bdangerous actions?\b|\bautomatic fail",
    re.IGNORECASE,
)
_ABOUT_THE_PATIENT: Final = re.compile(
    r"^(?:the )?(?:patient|pt\.?|he|she|baby|infant|child|mother|his|her|vital signs?|vitals|"
    r"temperature|temp|pulse|bp|blood pressure|hr|heart rate"
    r"|rr|respiratory rate|spo2|o2 sats?|oxygen saturation|weight|bmi|gcs|ecg|ekg|cxr|chest x-?ray|"
    r"ct(?: \w+)?|mri|ultrasound|labs?|urinalysis|cbc|exam(?:ination)?"
    r"|abdomen|lungs?|heart|skin|pupils|neck|general appearance)(?:'s [\w ]{2,40}?)?\s*(?:(?:is|are|"
    r"was|were|has|have|had|reports?|reported|denies|denied|presents?|presented|complains?"
    r"|complained|shows?|showed|reveals?|revealed|remains?|becomes?|became|appears?|states?|stated|"
    r"develops?|worsens|improves|does not have|did not have)\b|[:=]|\d)"
)
_DONE_TO: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has been|have been|not)(?: not| never)?(?: \w+ly)? (?:ask|"
    r"told|tell|inform|given|educat|reassur|plac|intubat|examin|assess|check|obtain|"
    r"order|perform|review|monitor|treat|counsel|advis|position|transfer|admitt|discharg|call|consult|"
    r"explain|discuss|offer|provid|address|greet|"
    r"instruct|encourag|identif|recogni|measur|tak|taken|done|made|document|evaluat|inspect|palpat|"
    r"auscultat|stabili|prepar|prescrib|administ|start|"
    r"initiat|drap|warn|notif|sent|refer|involv|allow|kept|secur|resuscitat|ventilat|attach|connect|"
    r"immobili|elicit|establish|complet|interpret|ask|invit|thank|support)"
)
_MEASURED: Final = re.compile(
    r"\b\d{2,3}/\d{2,3}\b|\d\s?(?:mm ?hg|bpm|mg/dl|mmol/l|meq/l|g/dl|°|° ?[cf]\b|x ?10)|\b(?:bp|hr|rr|"
    r"spo2|temp)\b\W{0,3}\d",
    re.IGNORECASE,
)
_STATE: Final = re.compile(
    r"^(?:normal|abnormal|elevated|decreased|increased|positive|negative|absent|diminished|bilateral|"
    r"diffuse|mild|moderate|severe|acute|chronic|tender|"
    r"(?:no|absence of) (?:known|evidence|history|fever|pain|murmurs?|edema|allerg\w+|acute|signs?|"
    r"rash|masses|distress|symptoms?))\b"
    r"|^(?:[\w'-]+ ){1,3}(?:is|are|was|were) (?:poor|normal|abnormal|elevated|low|high|positive|"
    r"negative|present|absent|stable|unstable|unchanged|tender)\b"
)


def critical(text: str) -> bool:
    """Whether the item calls itself critical. "Uses critical thinking" does not."""
    return _CRITICAL.search(text) is not None


def points(text: str) -> float | None:
    """The points that the item states for itself; negative where they are deducted."""
    return read_points(text).value


def doubt(item: RubricItem) -> str:
    """The doubt about an item's points: a figure of two meanings, a sign against the wording; or ""."""
    read, worth = polarity(item.text), read_points(item.text)
    if worth.doubt or worth.value is None:
        return worth.doubt
    if worth.value > 0 and read.negative and read.sure:
        return "its wording counts against, and its points for"
    if worth.value < 0 and read.by_absence and not read.negative:
        return "its wording counts for, and its points against"
    return "its points are 0: it counts for nothing" if worth.value == 0 else ""


def finding(text: str, acts: bool) -> bool:
    """Whether the item states a fact instead of an action. `acts`: it begins with a verb of doing."""
    low = " ".join(text.lower().split()).strip(" -•*")
    if _DONE_TO.search(low):
        return False
    if _ABOUT_THE_PATIENT.match(low):
        return True
    if low.startswith(("no ", "absence of ")):
        return _STATE.match(low) is not None
    return not acts and bool(_MEASURED.search(low) or _STATE.match(low))


_SCALE: Final = {
    0.0: (
        "unsatisfactory|unacceptable|poor|inadequate|novice|not done|none|absent|did not|fail|"
        "failing|fails expectations|incompetent|unsafe|never"
    ),
    0.25: (
        "needs improvement|below expectations|does not meet expectations|beginner|marginal|weak|"
        "rarely|needs work|beginning|minimal"
    ),
    0.5: (
        "fair|borderline|partial|partially|partly|partially done|developing|some|sometimes|"
        "incomplete|attempted|average|emerging"
    ),
    0.75: (
        "good|satisfactory|adequate|acceptable|competent|meets expectations|proficient|usually|"
        "mostly|accomplished|safe"
    ),
    0.9: "very good|above expectations|advanced",
    1.0: (
        "excellent|outstanding|superior|exemplary|expert|exceeds expectations|complete|completely|"
        "full|fully|done|always|mastery|optimal|ideal"
    ),
}
_LABELS: Final = "|".join(f"(?P<s{n}>{held})" for n, held in enumerate(_SCALE.values()))
_WORD_LABEL: Final = re.compile(rf"^\W*(?:{_LABELS})\s*(?:\(\s*-?\d+[^)]{{0,12}}\))?\s*[:=–—-]\s*\S")
_NUMBER_LABEL: Final = re.compile(
    r"^\W*(?:(?:level|score|grade|rating)\s+(\d{1,2})\b\s*[:=.)–—-]*|(\d{1,2})\s*(?:=|"
    r"points?\s*[:=–—-]|pts?\s*[:=–—-]|:))\s*\S"
)
_DEGREES: Final = (
    (
        1.0,
        "fully completely thoroughly always all independently correctly appropriately effectively "
        "clearly excellent comprehensive complete",
    ),
    (0.75, "adequately mostly most usually good adequate satisfactory"),
    (
        0.5,
        "partially partly somewhat some sometimes attempts attempted partial limited incompletely "
        "incomplete inconsistently prompted prompting reminded fair minimal minimally",
    ),
    (
        0.0,
        "not never no none fails failed fail failure unable does did do doesn't didn't cannot "
        "incorrectly inadequately inappropriately poorly omits omitted neglects lacks poor",
    ),
)
_DEGREE: Final = {word: value for value, held in _DEGREES for word in held.split()}
_LITTLE: Final = frozenset(
    "to the a an and or of in on with without for is was are were be been but only any it by".split()
)
_TOKEN: Final = re.compile(r"[a-z0-9']+")


class Level(NamedTuple):
    """An item's group and the share of its weight that the item earns."""

    group: str
    value: float


def levels(items: Sequence[RubricItem]) -> dict[str, Level]:
    """The items (by id) of one competency that are levels, with their groups."""
    runs = [*_labelled(items)]
    ids = {item.id for run, _ in runs for item in run}
    runs += _degrees([item for item in items if item.id not in ids])
    result: dict[str, Level] = {}
    for run, values in runs:
        top = max(values)
        if top > 0 and len(set(values)) > 1:
            name = f"{run[0].competency}-{run[0].id[:6]}"
            result |= {item.id: Level(name, round(v / top, 4)) for item, v in zip(run, values, strict=True)}
    return result


def _labelled(items: Sequence[RubricItem]) -> Iterator[tuple[list[RubricItem], list[float]]]:
    """Runs of neighbours labelled with words or numbers of a scale, no level twice, in one direction."""
    run: list[RubricItem] = []
    values: list[float] = []
    kind = ""
    for item in (*items, None):
        label = _label(item.text) if item else None
        goes_on = label is not None and label[0] == kind and _monotone([*values, label[1]])
        if not goes_on:
            if len(run) > 1:
                yield run, values
            run, values = [], []
        if item is not None and label is not None:
            kind = label[0]
            run, values = [*run, item], [*values, label[1]]


def _label(text: str) -> tuple[str, float] | None:
    low = " ".join(text.lower().split())
    if match := _WORD_LABEL.match(low):
        return "words", list(_SCALE)[next(n for n in range(len(_SCALE)) if match[f"s{n}"])]
    if match := _NUMBER_LABEL.match(low):
        return "numbers", float(match[1] or match[2])
    return None


def _monotone(values: Sequence[float]) -> bool:
    pairs = list(pairwise(values))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _degrees(items: Sequence[RubricItem]) -> Iterator[tuple[list[RubricItem], list[float]]]:
    """Items that are equal except for words of degree, with at least two words left without them."""
    alike: dict[frozenset[str], list[tuple[RubricItem, float]]] = defaultdict(list)
    for item in items:
        tokens = _TOKEN.findall(item.text.lower().replace("’", "'"))
        degrees = [_DEGREE[token] for token in tokens if token in _DEGREE]
        rest = frozenset(words(" ".join(t for t in tokens if t not in _DEGREE and t not in _LITTLE)))
        if len(rest) >= 2:
            alike[rest].append((item, min(degrees, default=1.0)))
    for held in alike.values():
        values = [value for _, value in held]
        if len(held) > 1 and len(set(values)) == len(values):
            yield [item for item, _ in held], values
