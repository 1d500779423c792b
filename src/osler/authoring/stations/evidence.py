"""The rule by which an item of a mark sheet is judged, drafted from its own words.

An item that asks or tells becomes rules for speech; one that examines, orders, gives or calls becomes an act;
one about manner is left to a person. What is drafted from unknown words alone is marked for the author.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

from osler.authoring.stations import item_words
from osler.authoring.stations.findings import entry_of, terms_for
from osler.authoring.stations.item_words import UsualItem
from osler.authoring.stations.mark_sheet import SheetItem
from osler.authoring.stations.telling_words import (
    LEAD,
    OR,
    PURPOSE,
    bare,
    content,
    manner_of,
    plain_say,
    plain_telling,
    quoted,
    rule_of_words,
    words_rule,
)
from osler.knowledge.formulary import Entry
from osler.text.act_recognition import Act, Recognizer
from osler.text.exact_dose import orders_dose, states_dose
from osler.text.said_rules import says

Way = Literal["ask", "tell", "examine", "test", "treat", "call", ""]

_VERBS: Final[tuple[tuple[Way, str], ...]] = (
    (
        "call",
        r"call(?:s|ed|ing)?\b|alert\w*|escalat\w*|refer(?:s|red|ring)?\b|contact\w*|consult\w*|involv\w+|notif\w+|bleep\w*|phon\w+|"
        r"seek\w*(?= (?:senior|help|expert|advice))|(?:request\w*|ask\w* for)(?= (?:senior|help|an? (?:\w+ )?review|assistance))|(?:arrang|organi[sz]|plan)\w+(?= (?:for )?(?:\w+ )?(?:follow|referral|admission|review|transfer|an? appointment))|"
        r"admit\w*|discharg\w*|book\w*|transfer\w*|hand\w* over|activat\w+|summon\w*",
    ),
    (
        "ask",
        r"ask(?:s|ed|ing)?\b|enquir\w+|inquir\w+|explor\w+|elicit\w*|ascertain\w*|establish\w*(?! (?:iv|intravenous|access|a diagnosis|the diagnosis))|"
        r"screen\w* for|clarif\w+|question\w*|find\w* out|finds|determin\w+|prob(?:es|ed|ing)\b|"
        r"(?:take|takes|took|taking|obtain\w*|gather\w*|complete\w*) (?:an? |the )?(?:[\w-]+ ){0,3}history(?: of| about| for|:)?|check\w* (?:about|whether|if|that (?:the|she|he|there)|for (?:\w+ )?(?:allerg\w*|contraindication\w*|pregnan\w*))|"
        r"confirm\w* (?:whether|if|that|no|any|the (?:onset|duration))|rul\w+ out (?:history|red)",
    ),
    (
        "test",
        r"request\w*|order\w*|send\w*|obtain\w*|interpret\w*|(?:take|takes|took|draw\w*) (?:\w+ ){0,2}(?:blood|sample|swab|culture)s?|arrang\w+|"
        r"(?:perform|perform\w+|do|does|did|carr\w+ out|get|gets) (?:an? |the )?(?:urgent |12[- ]lead |bedside )?(?:ecg|ekg|x-?ray|ct|mri|ultrasound|scan|abg|arterial|blood|urin\w+|pregnancy|swab|lumbar|dipstick|culture)\w*|investigat\w+",
    ),
    (
        "examine",
        r"examin(?:e|es|ed|ing)\b|auscultat\w*|palpat\w*|percuss\w*|inspect\w*|listen(?:s|ed|ing)? (?:to|for)|look(?:s|ed|ing)? (?:at|for|in|inside)|feel(?:s|ing)?|felt|measur\w+|"
        r"assess\w*|check(?:s|ed|ing)?(?: for)?|test(?:s|ed|ing)?(?: for)?|record\w*|count\w*|monitor\w*|observ\w+|(?:perform|perform\w+|do|does|did|conduct\w*) (?:an? |the )?.{0,40}(?:exam\w*|test|sign|man(?:o)?euv\w+)|(?:take|takes|took) (?:the )?(?:pulse|temperature|blood pressure|observations|vital)",
    ),
    (
        "treat",
        r"giv(?:e|es|ing)\b(?! (?:\w+ ){0,2}(?:advice|information|explanation|diagnosis|warning|reassurance|time|leaflet|opportunity|news|result|instructions|summary|feedback|reasons?|options?|hope|false))|gave\b|administ\w+|"
        r"start\w*|prescrib\w+|commenc\w+|appl(?:y|ies|ied)|insert\w*|sit(?:s|ting)?\b|sat\b|position\w*|stop(?:s|ped|ping)?\b|withhold\w*|discontinu\w*|secur\w+|"
        r"(?:establish|gain|get|obtain)\w* (?:iv|intravenous|\w+ access)|attach\w*|connect\w*|increas\w+|titrat\w+|repeat\w*|plac(?:e|es|ed|ing)\b|remov\w+|clean\w*|wash\w*|don(?:s|ned)?\b|put(?:s|ting)?|turn\w*|"
        r"open(?:s|ed)? (?:the )?airway|perform\w*|deliver\w*|initiat\w+|treat\w*|lie(?:s)?\b|lay(?:s)?\b|rais\w+|us(?:e|es|ed)\b|hold\w*|wear\w*|prepar\w+|dispos\w+|label\w*|dress\w*|immobili[sz]\w*|splint\w*",
    ),
    (
        "tell",
        r"explain\w*|advis\w+|inform\w*|tell(?:s|ing)?|told|discuss\w*|mention\w*|say(?:s|ing)?|said|stat(?:e|es|ed|ing)|reassur\w*|counsel\w*|warn\w*|describ\w+|offer\w*|giv\w+|"
        r"suggest\w*|recommend\w*|recogni[sz]\w+|identif\w+|diagnos\w+|nam(?:e|es|ed|ing)\b|agree\w*|negotiat\w+|address\w*|break\w*|communicat\w+|encourag\w+|provid\w+|verbali[sz]\w*|outlin\w+|"
        r"propos\w+|justif\w+|list\w*|acknowledg\w+|answer\w*|respond\w*|make\w*|demonstrat\w+|present\w*|share\w*|show\w*|instruct\w*|educat\w+|teach\w*|plan\w*|consider\w*|differential|formulat\w+|synthesi[sz]\w*|know\w*|understand\w*",
    ),
)  # fmt: skip
_BY_HEADING: Final[tuple[tuple[Way, str], ...]] = (
    ("ask", r"histor|data gathering|information gathering|symptom|asks?\b|enquir"),
    ("examine", r"exam|inspection|palpation|auscultation"),
    ("test", r"investigation|tests?\b|labs?\b|imaging"),
    ("treat", r"manage|treat|airway|breathing|circulation|procedure|resus"),
    ("tell", r"explan|communicat|counsel|information|diagnos|educat|advice|discuss|plan"),
)
_SPLITS: Final = re.compile(
    r"\s*(?:[,;]|/(?!\w?\d)|\band\b|\bplus\b|&|\bas well as\b|:|\bincluding\b|\bsuch as\b|\be\.?g\.?)\s*",
    re.IGNORECASE,
)
_ANY: Final = re.compile(r"\b(?:at least |any )(one|two|three|four|\d)\b(?: of)?\s*:?", re.IGNORECASE)
_NUMBERS: Final = {"one": 1, "two": 2, "three": 3, "four": 4}
_WITHIN: Final = re.compile(
    r"\b(?:within|in (?:the|under) (?:first )?|in less than)\s*(?:the (?:first )?)?(\d{1,2})\s*min(?:ute)?s?\b",
    re.IGNORECASE,
)
_KIND: Final = {"examine": "examination", "test": "test", "treat": "treatment", "call": "call"}
_NEGATED: Final = re.compile(
    r"^(?:fails?|failure|failed|does not|doesn't|did not|didn't|omits?|neglects?|forgets?|no\b|not\b|lack of)",
    re.IGNORECASE,
)
_CALLING: Final = "refer | referral | call | contact | speak | talk | ask | discuss | involve | send | transfer | admit | arrange | book | get | let | inform | phone | bleep | page | see"
_MOST_PARTS: Final = 6


class Drafted(NamedTuple):
    """An item's evidence, as it goes into the scenario, and the acts it needs beside those already there.

    `sure`: by rules of usual items; otherwise `check` says what the author should look at. `ear`: no rule can
    tell. An item without evidence and without `ear` cannot be judged as it stands.
    """

    shown_by: tuple[dict[str, Any], ...]
    acts: tuple[dict[str, Any], ...]
    say: str
    do: tuple[str, ...]
    ear: bool
    check: str


_NOTHING: Final = Drafted((), (), "", (), False, "")


def evidence(item: SheetItem, there: Mapping[str, Mapping[str, Any]]) -> Drafted:
    """Draft the evidence of an item. `there` are the acts that the scenario has already, by id. Pure."""
    text = item.text.replace("’", "'")
    if _NEGATED.match(text):
        if item_words.about_manner(text.lower()):
            return _NOTHING._replace(ear=True, check="is about manner: a person marks it")
        what = "is about something left undone, which no rule can see: say what is to be done, or mark it yourself"
        return _NOTHING._replace(ear=True, check=what)
    if (usual_item := item_words.communication(text)) is not None:
        return _known(usual_item, text)
    way, rest = _way(text, item.under)
    by_words = way in ("examine", "test", "treat", "call") or (way == "ask" and item_words.subject(rest))
    if item_words.about_manner(text) and not by_words:
        return _NOTHING._replace(ear=True, check="is about manner: a person marks it")
    if way == "ask":
        return _asked(rest)
    if way in ("examine", "test", "treat", "call"):
        return _done(way, text, rest, there)
    result = _act_named(rest, there) if way == "" else None
    return result or _told(text, rest)


def _way(text: str, under: str) -> tuple[Way, str]:
    """Return the kind of act that an item names, and its words after the verb."""
    for way, pattern in _VERBS:
        if match := re.match(pattern, text, re.IGNORECASE):
            rest = text[match.end() :].strip(" :,-")
            rest = re.sub(r"^(?:or|and) \w+(?:s|es|ed|ing)?\b\s*", "", rest)
            if not content(rest) and way == "ask":
                rest = re.sub(r"^\w+\s+", "", text)  # "Takes a medication history"
            return way, LEAD.sub("", rest) or rest
    for way, pattern in _BY_HEADING:
        if re.search(pattern, under, re.IGNORECASE):
            return way, text
    return "", text


def _known(item: UsualItem, text: str) -> Drafted:
    """The evidence of a usual act of communication, with what else the item names."""
    if item.act is not None and not item.rules:
        return Drafted(({"did": [item.act["id"]]},), (item.act,), "", (item.act["id"],), False, "")
    shown: list[dict[str, Any]] = [{"said": list(item.rules)}]
    acts = (item.act,) if item.act is not None else ()
    if item.act is not None:
        shown.append({"did": [item.act["id"]]})
    rules, say = list(item.rules), item.say
    # "Introduces self and confirms the name": both are wanted.
    for part in re.split(r"\s*(?:,|;|\band\b)\s*", text)[1:]:
        more = item_words.communication(part)
        if more is not None and more.rules and more.rules != item.rules and not more.ear and not item.ear:
            rules, say = [*rules, *more.rules], f"{say} {more.say}"
    tail = [] if item.ear else _parts(text.partition(":")[2])[:_MOST_PARTS]
    added = [rule for part in tail if (rule := words_rule(part))]
    rules += added
    say = f"{say} {plain_say(added)}".strip()
    shown[0] = {"said": list(dict.fromkeys(rules))}
    check = "is about manner: the rule may find it said, a person judges it" if item.ear else ""
    return Drafted(tuple(shown), acts, say, (), item.ear, check)


def _parts(text: str) -> list[str]:
    bare = re.sub(r"\s*\([^)]*\)", " ", text)
    inside = " , ".join(re.findall(r"\(([^)]*)\)", text)) if not bare.strip() else ""
    result = [LEAD.sub("", part).strip(" .") for part in _SPLITS.split(f"{bare}{inside}")]
    return [part for part in result if part and content(part)]


def _asked(rest: str) -> Drafted:
    """Rules for the questions that an item asks for, one for each of its subjects."""
    many = _ANY.search(rest)
    text = rest[: many.start()] + rest[many.end() :] if many else rest
    rules: list[str] = []
    says_: list[str] = []
    unsure: list[str] = []
    for part in _parts(text) or [text]:
        item = item_words.subject(part)
        if item is not None:
            rules += item.rules
            says_.append(item.say)
            continue
        words = words_rule(part)
        if words:
            rules.append(f"{words} & ?")
            says_.append(f"May I ask about {part}?")
            unsure.append(part)
    return _spoken(rules, says_, unsure, many)


def _told(text: str, rest: str) -> Drafted:
    """Rules for what an item wants to be told, by its own words."""
    many = _ANY.search(rest)
    body = rest[: many.start()] + rest[many.end() :] if many else rest
    parts = _parts_to_tell(body)
    rules = [words for part in parts[:_MOST_PARTS] if (words := words_rule(part))]
    manner = manner_of(text)
    if manner:
        rules = [f"{rule} & {manner}" for rule in rules]
    return _spoken(rules, [plain_telling(rest, manner)], parts if rules else [], many)


def _parts_to_tell(body: str) -> list[str]:
    """The things to be told: a list of short ones, or all of it as one."""
    _, colon, tail = body.partition(":")
    if colon and len(_parts(tail)) > 1:
        body = tail
    pieces = [one for one in re.split(r"\s*(?:[,;]|\band\b|\bplus\b)\s*", body) if content(one)]
    listed = len(pieces) > 1 and all(len(content(piece)) <= 3 for piece in pieces)
    return [LEAD.sub("", piece) for piece in pieces] if listed else [body]


def _spoken(
    rules: Sequence[str], says_: Sequence[str], unsure: Sequence[str], many: re.Match[str] | None
) -> Drafted:
    """Evidence of rules for speech: all of them, or any so many."""
    rules = list(dict.fromkeys(rules))
    if not rules:
        return _NOTHING._replace(ear=True, check="has no words that a rule could look for: a person marks it")
    wanted = _NUMBERS.get(many[1].lower(), 0) or int(many[1]) if many else 0
    if 0 < wanted < len(rules) <= _MOST_PARTS:
        shown = tuple({"said": list(each)} for each in combinations(rules, wanted))
    else:
        shown = ({"said": rules},)
    say = " ".join(says_)
    kept = say if any(says(say, one["said"]) for one in shown) else plain_say(rules)
    check = (
        f"the rule is drafted from the words {quoted(unsure)}: add other ways of saying it" if unsure else ""
    )
    return Drafted(shown, (), kept, (), False, check)


def _done(way: str, text: str, rest: str, there: Mapping[str, Mapping[str, Any]]) -> Drafted:
    """The acts that an item names: those that the findings have, the usual ones, or new ones of its words."""
    body = PURPOSE.sub("", rest) or rest
    if not content(body):
        body = text  # "Admits the patient": the verb alone says it
    pieces = _pieces(body, way)
    naming = _Naming(way, text, there, alone=len(pieces) == 1)
    did = [choices for piece in pieces if (choices := naming.choices(piece))]
    if not did:
        return _told(text, rest)
    limits = [*naming.limits, *_limits(rest, shortened=body is not text)]
    checks = [naming.check(), *(f"the rule does not judge {limit}" for limit in limits)]
    told: tuple[dict[str, Any], ...] = ()
    if way == "call" and body is not text and (words := words_rule(body)):
        told = ({"said": [f"{_CALLING} & {words}"]},)
    shown = (*_ways_of(did, _WITHIN.search(text)), *told)
    first = tuple(each[0] for each in did)
    return Drafted(shown, tuple(naming.acts), "", first, False, "; ".join(filter(None, checks)))


class _Naming:
    """The acts that the pieces of one item name; `alone`: it has one piece."""

    def __init__(self, way: str, text: str, there: Mapping[str, Mapping[str, Any]], *, alone: bool) -> None:
        self._way, self._text, self._there, self._alone = way, text, there, alone
        self.acts: list[dict[str, Any]] = []
        self.limits: list[str] = []
        self._unsure: list[str] = []

    def choices(self, piece: str) -> list[str]:
        """The ids of the acts that a piece names, any one of which will do."""
        result = (self._named(one) for one in OR.split(piece))
        return list(dict.fromkeys(filter(None, result)))

    def _named(self, one: str) -> str:
        known = {**self._there, **{act["id"]: act for act in self.acts}}
        usual = item_words.act(one, self._way) is None and item_words.act(self._text, self._way)
        words = self._text if self._alone and usual else one
        ident, new, sure = _act(self._way, self._text, words, known)
        if not ident:
            return ""
        whole = self._alone and not OR.search(self._text)
        dosed = self._text if whole else f"{self._text.split()[0]} {one}"
        ident, new, unjudged = _of_dose(ident, new, PURPOSE.sub("", dosed), known)
        self.limits += [f'the dose in "{one}", which another item gives without one'] if unjudged else []
        self.acts += [new] if new is not None else []
        self._unsure += [] if sure else [one]
        return ident

    def check(self) -> str:
        """A note on what the author should look at, or ""."""
        if not self._unsure:
            return ""
        result = ", and its result" if self._way in ("examine", "test") else ""
        return (
            f"the act is drafted from the words {quoted(self._unsure)}: add other ways of naming it{result}"
        )


def _limits(rest: str, *, shortened: bool) -> Iterator[str]:
    """The limit that an item sets and no rule judges: "only if ..."."""
    cut = PURPOSE.search(rest)
    limited = cut is not None and shortened and re.search(r"\d|\bonly\b|\bif\b", cut[0])
    if limited or re.search(r"\bonly\b", rest):
        limit = " ".join((cut[0] if cut else rest).split()).strip(" ,(")
        yield f'"{limit[:60]}"'


def _pieces(body: str, way: str) -> list[str]:
    """The things an item names; "fluids and antibiotics" are two, "ST elevation in II and III" is one."""
    parts = [
        part.strip(" .")
        for part in re.split(r"\s*(?:[,;]|\band\b|&|\bplus\b)\s*", re.sub(r"\s*\([^)]*\)", " ", body))
    ]
    pieces = [part for part in parts if content(part)]
    if (
        way == "call"
        or entry_of(bare(body)) is not None
        or not 1 < len(pieces) <= _MOST_PARTS
        or any(len(content(part)) > 3 for part in pieces)
    ):
        return [body]
    return pieces


def _act(
    way: str, text: str, piece: str, there: Mapping[str, Mapping[str, Any]]
) -> tuple[str, dict[str, Any] | None, bool]:
    """The id of the act that a piece names, the act if it is new, and whether it is a usual one."""
    item = item_words.act(piece, way)
    if way != "treat" or item is None:
        result = _there(way, bare(piece), there)
        if result:
            return result, None, True
    if item is not None and item.act is not None:
        if item.act["id"] in there:
            return item.act["id"], None, True
        return item.act["id"], item.act, True
    name = bare(piece)
    entry = entry_of(name) if way in ("examine", "test", "") else None
    if entry is not None:
        new = _examined_or_tested(name, entry)
    elif words := content(name):
        new = _in_its_words(way, text, name, rule_of_words(name, words))
    else:
        return "", None, False
    if new["id"] in there:
        return new["id"], None, entry is not None
    return new["id"], new, False


def _examined_or_tested(name: str, entry: Entry) -> dict[str, Any]:
    seen = entry.kind == "examination"
    return {
        "id": f"{'see' if seen else 'test'}_{_slug(entry.name)}",
        "what": f"{'Examines' if seen else 'Orders'}: {name}",
        "terms": list(terms_for(name, entry.kind, entry)),
        "kind": "examination" if seen else "test",
        "result": "",
        "missing": True,
    }


def _in_its_words(way: str, text: str, name: str, rule: str) -> dict[str, Any]:
    stopping = re.match(r"(?:stop|withh|discontin|remov)", text, re.IGNORECASE)
    if stopping:
        rule = f"stop | discontinue | withhold | hold | cease | remove | take down & {rule}"
    plain = len(text) <= 80 and not OR.search(text) and "," not in text and " and " not in text
    act = {
        "id": f"{'stop' if stopping else 'do'}_{_slug(name)}",
        "what": text if plain else f"{text.split()[0]} {name}",
        "terms": [rule],
        "kind": _KIND.get(way, "treatment"),
        "result": "",
    }
    return {**act, "missing": True} if way in ("examine", "test") else act


def _of_dose(
    ident: str, new: dict[str, Any] | None, words: str, there: Mapping[str, Mapping[str, Any]]
) -> tuple[str, dict[str, Any] | None, bool]:
    """The id of a treatment and the act if it is new, made exact where the item states a dose; and whether the
    dose cannot be judged, as another item has the same treatment without one."""
    act = new if new is not None else there[ident]
    if act["kind"] != "treatment" or not states_dose(words):
        return ident, new, False
    if new is not None:
        return ident, {**new, "what": words, "exact": True}, False
    if not act.get("exact"):
        return ident, None, True
    alike = {name: one for name, one in there.items() if one.get("exact") and one["terms"] == act["terms"]}
    for name, one in alike.items():
        if orders_dose(one["what"], words) or orders_dose(words, one["what"]):
            return name, None, False
    another = f"{ident}_{len(alike) + 1}"
    return another, {**act, "id": another, "what": words}, False


def _act_named(text: str, there: Mapping[str, Mapping[str, Any]]) -> Drafted | None:
    """The act of an item that is only a name: a test, or one of the acts there are."""
    result = _there("", text, there)
    if result:
        return Drafted(({"did": [result]},), (), "", (result,), False, "")
    if entry_of(bare(text)) is not None:
        ident, new, _ = _act("", text, text, there)
        check = "has no result in the station's papers: write one" if new is not None else ""
        return Drafted(({"did": [ident]},), (new,) if new else (), "", (ident,), False, check)
    return None


def _there(way: str, piece: str, there: Mapping[str, Mapping[str, Any]]) -> str:
    """The act of the station's findings that a piece names."""
    if not there:
        return ""
    verb = {"examine": "examine ", "test": "order "}.get(way, "")
    held = {ident: act for ident, act in there.items() if way != "treat" or act["kind"] == "treatment"}
    knows = Recognizer(Act(ident, tuple(act["terms"])) for ident, act in held.items())
    read = knows.read(f"{verb}{piece}")
    return next((one.act for one in read if one.act and one.how == "done"), "")


def _ways_of(did: Sequence[Sequence[str]], within: re.Match[str] | None) -> tuple[dict[str, Any], ...]:
    """The ways in which acts show an item: each of its things, in any of its alternatives."""
    ways: list[list[str]] = [[]]
    for choices in did:
        ways = [[*way, one] for way in ways for one in choices]
    shown = []
    for way in ways[:12]:
        one: dict[str, Any] = {"did": list(dict.fromkeys(way))}
        if within:
            one["within"] = int(within[1])
        shown.append(one)
    return tuple(shown)


def _slug(text: str) -> str:
    low = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return low[:40].strip("_") or "act"
