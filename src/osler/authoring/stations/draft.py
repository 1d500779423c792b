"""The draft of a scenario from a station's papers: everything that was read, and what its author should check."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from osler.authoring.stations import item_words
from osler.authoring.stations.brief import Brief, Fact, brief
from osler.authoring.stations.course import Change, changes
from osler.authoring.stations.evidence import evidence
from osler.authoring.stations.findings import Findings, findings, terms_for, vitals_in
from osler.authoring.stations.lines import Place, SourceLine, lines_of
from osler.authoring.stations.mark_sheet import SheetItem, sheet
from osler.authoring.stations.people import Cast, cast
from osler.authoring.stations.remarks import Check, Unplaced
from osler.authoring.stations.sheet_checks import sheet_checks
from osler.cases.importers.leaks import plain
from osler.cases.scenarios.lint import CHECK
from osler.cases.scenarios.lint_course import pieces
from osler.cases.scenarios.model import Scenario
from osler.knowledge.vocabulary import PATIENT_ID
from osler.text.act_rules import stems

FIRST: Final = "start"
_TURNS: Final = 40
_NO_INSTRUCTIONS: Final = "You are the clinician on duty. See this patient, and speak and act as you would."
_NO_RESULT: Final = "The station's papers give no result for this."
_MOST_SHOWN: Final = 70
_SITE: Final = re.compile(r"^(?:setting|location|place|venue)\s*[:–-]\s*(\S.*)$", re.IGNORECASE)
_SPECIALTY: Final = re.compile(
    r"^(?:specialty|speciality|subject|department)\s*[:–-]\s*(\S.*)$", re.IGNORECASE
)


class Draft(NamedTuple):
    """A drafted scenario. `by_part` counts the lines that were read, by part."""

    scenario: Scenario
    checks: tuple[Check, ...]
    unplaced: tuple[Unplaced, ...]
    by_part: dict[str, int]


def draft(texts: Sequence[tuple[str, str]], case_id: str) -> Draft | None:
    """Draft a scenario from texts as Markdown, by file name; `None` where they hold neither a brief nor a mark
    sheet. Pure."""
    lines = [line for name, text in texts for line in lines_of(name, text)]
    if not any(line.part in ("actor", "marks", "errors") for line in lines):
        return None
    return _Drafting(lines, case_id).made()


class _Drafting:
    """One draft in the making."""

    def __init__(self, lines: Sequence[SourceLine], case_id: str) -> None:
        self.lines = lines
        self.case_id = case_id
        self.checks: list[Check] = []
        self.unplaced: list[Unplaced] = []
        self.acts: dict[str, dict[str, Any]] = {}

    def made(self) -> Draft:
        for line in self._of("unplaced"):
            self._leave(line, "stands under a heading that is no known part")
        candidate, instructions, opening, setting = self._candidate()
        told = brief(self._of("actor"))
        people = cast(
            [*candidate, *self._of("about")],
            self._of("actor"),
            [*self._of("background"), *self._of("marks", "course")],
        )
        result = findings(self._of("findings"))
        vitals = result.vitals | {
            k: v for line in candidate for k, v in vitals_in(line.text).items() if k not in result.vitals
        }
        self._acts_of(result, bool(vitals))
        rubric = self._rubric()
        states = self._states(people, told, vitals)
        shown = "\n".join([instructions, opening, setting, *(state["status"] for state in states)])
        value: dict[str, Any] = {
            "schema_version": 1,
            "case_id": self.case_id,
            "title": self._title(shown),
            "specialty": self._about(_SPECIALTY),
            "setting": setting,
            "age_years": _whole(people.age_years),
            "sex": people.sex,
            "instructions": instructions,
            "opening": opening,
            "max_turns": _TURNS,
            "people": self._people(people),
            "knows": self._knows(told, people, shown),
            "states": states,
            "actions": self._actions(),
            "rubric": rubric,
            "debrief": [line.text for line in self._of("debrief", "examiner")],
        }
        for field in ("age_years", "sex"):
            if value[field] is None:
                self._check(field, "is not told in the station's papers")
        sources = ", ".join(dict.fromkeys(line.place.file for line in self.lines))
        value["provenance"] = {
            "origin": f"Drafted by rule from {sources}",
            "flags": [f"{CHECK}{check}" for check in self.checks],
        }
        scenario = Scenario.model_validate(
            {key: held for key, held in value.items() if held not in (None, "", [])}
        )
        parts = [line.part for line in self.lines]
        return Draft(
            scenario,
            tuple(self.checks),
            tuple(self.unplaced),
            {part: parts.count(part) for part in dict.fromkeys(parts)},
        )

    def _of(self, *parts: str) -> list[SourceLine]:
        return [line for line in self.lines if line.part in parts]

    def _check(self, where: str, what: str, place: Place | None = None) -> None:
        self.checks.append(Check(where, what, place))

    def _leave(self, line: SourceLine, why: str) -> None:
        self.unplaced.append(Unplaced(line.text, why, line.place))

    def _about(self, pattern: re.Pattern[str]) -> str | None:
        return next(
            (match[1] for line in self._of("about", "background") if (match := pattern.match(line.text))),
            None,
        )

    def _candidate(self) -> tuple[list[SourceLine], str, str, str]:
        """The lines that the examinee reads, and of them instructions, opening and setting."""
        own, background = self._of("candidate"), self._of("background")
        setting = self._about(_SITE) or ""
        background = [
            line for line in background if not _SITE.match(line.text) and not _SPECIALTY.match(line.text)
        ]
        opening = ""
        if own and background:
            opening = " ".join(line.text for line in background)
            self._check(
                "opening",
                "the background is shown to the examinee: leave out what is not meant for them",
                background[0].place,
            )
        elif background:
            own, background = background, []
            self._check(
                "instructions",
                "no instructions to the examinee were found; the background stands here",
                own[0].place,
            )
        if not own:
            about = [line for line in self._of("about") if len(line.text.split()) > 6]
            self._check(
                "instructions",
                "no instructions to the examinee were found: write them",
                about[0].place if about else None,
            )
            return about, "\n".join([_NO_INSTRUCTIONS, *(line.text for line in about)]), opening, setting
        text = "\n".join(f"- {line.text}" if line.kind == "entry" else line.text for line in own)
        return [*own, *background], text, opening, setting

    def _title(self, shown: str) -> str | None:
        result = next(
            (
                line.text
                for line in self._of("about")
                if not re.match(r"[\w ]{2,20}:", line.text) or line.text.lower().startswith("station")
            ),
            None,
        )
        if result is None or f" {plain(result)} " in f" {plain(shown)} ":
            return None
        return result

    def _people(self, people: Cast) -> list[dict[str, Any]]:
        name = people.name or "The patient"
        if people.name is None:
            self._check("people[patient]", "the patient's name was not found")
        patient: dict[str, Any] = {"id": PATIENT_ID, "name": name, "role": "patient"}
        if not people.speaks:
            patient["speaks"] = False
        result = [patient]
        if people.actor:
            ident = re.sub(r"[^a-z]", "", people.actor)
            result.append(
                {
                    "id": ident,
                    "name": people.actor_name,
                    "role": "family",
                    "about": f"the patient's {people.actor}",
                }
            )
            self._check(
                f"people[{ident}]",
                "the actor plays this person: is the patient in the room, and can they speak?",
            )
        if people.nurse:
            result.append({"id": "nurse", "name": "Nurse", "role": "team", "about": "the nurse"})
        return result

    def _knows(self, told: Brief, people: Cast, shown: str) -> list[dict[str, Any]]:
        who = re.sub(r"[^a-z]", "", people.actor) if people.actor else PATIENT_ID
        for line in told.unread:
            self._leave(line, "stands in the actor's brief under a condition that could not be read")
        facts = list(told.facts)
        if facts and not any(fact.told == "volunteered" for fact in facts):
            order = ("complaint", "associated", "systems", "character", "course")
            first = next(
                (fact for topic in order for fact in facts if fact.topic == topic and not fact.absent),
                facts[0],
            )
            at = facts.index(first)
            facts[at] = first._replace(told="volunteered")
            self._check(
                f"knows[fact_{at + 1}]",
                "no opening line was found: this is what the actor says first",
                first.place,
            )
        if not facts:
            self._check("knows", "no facts were found in an actor's brief: the patient can answer nothing")
        given = f" {plain(shown)} "
        result = []
        for number, fact in enumerate(facts, start=1):
            if any(f" {piece} " in given for one in (fact.text, fact.spoken or "") for piece in pieces(one)):
                fact = fact._replace(told="volunteered")
            result.append(self._fact(f"fact_{number}", who, fact))
        return result

    def _fact(self, ident: str, who: str, fact: Fact) -> dict[str, Any]:
        if not fact.sure:
            self._check(f"knows[{ident}]", f"the topic ({fact.topic}) is a guess", fact.place)
        elif fact.told in ("in_private", "normalized", "confidential"):
            self._check(
                f"knows[{ident}]",
                f"is told only {fact.told.replace('_', ' ')}, by the words of the brief",
                fact.place,
            )
        held = {
            "id": ident,
            "who": who,
            "topic": fact.topic,
            "text": fact.text,
            "spoken": fact.spoken,
            "told": fact.told,
            "absent": fact.absent,
        }
        return {
            key: one
            for key, one in held.items()
            if one not in (None, False, "asked") and (key, one) != ("who", PATIENT_ID)
        }

    def _acts_of(self, found: Findings, monitored: bool) -> None:
        """Add the acts that reveal the findings."""
        for line in found.unread:
            self._leave(
                line, "stands under findings, and no name of a test or an examination was found in it"
            )
        if monitored and (item := item_words.act("vital signs", "examine")) and item.act:
            self.acts[item.act["id"]] = dict(item.act)
        for one in found.found:
            seen = one.kind == "examination"
            name = one.entry.name if one.entry is not None and not one.entry.grouped else one.name
            ident = f"{'see' if seen else 'test'}_{_slug(name)}"
            result = f"{one.name}: {one.result}"
            if ident in self.acts:
                act = self.acts[ident]
                act["result"] += f" {result}"
                act["terms"] = list(dict.fromkeys([*act["terms"], *terms_for(one.name, one.kind, one.entry)]))
                continue
            terms = list(terms_for(one.name, one.kind, one.entry)) or [
                f"{' & '.join(dict.fromkeys(one.name.lower().split()))}"
            ]
            self.acts[ident] = {
                "id": ident, "what": f"{'Examines' if seen else 'Orders'}: {one.name}", "terms": terms,
                "kind": "examination" if seen else "test", "result": result,
            }  # fmt: skip
            if one.entry is None:
                self._check(
                    f"actions[{ident}]",
                    "is no test that is known by name: add the words by which it is ordered",
                    one.place,
                )

    def _rubric(self) -> list[dict[str, Any]]:
        held = sheet(self._of("marks", "errors"))
        items = tuple(item for item in held.items if stems(item.text))
        for item in held.items:
            if item not in items:
                line = SourceLine(item.text, "row", "marks", item.place)
                self._leave(line, "is an item without a word that rules can read")
        for line, why in held.unread:
            self._leave(line, why)
        for what, place in sheet_checks(held._replace(items=items)):
            self._check("rubric", what, place)
        return [self._item(number, item) for number, item in enumerate(items, start=1)]

    def _item(self, number: int, item: SheetItem) -> dict[str, Any]:
        where = f"rubric[{number}]"
        made = evidence(item, self.acts)
        for act in made.acts:
            self.acts.setdefault(act["id"], dict(act))
        traits: dict[str, Any] = {"weight": item.marks} if item.marks not in (None, 1.0) else {}
        traits |= {"critical": True} if item.critical else {}
        traits |= {"negative": True} if item.negative else {}
        result: dict[str, Any] = {
            "competency": item.competency,
            "text": item.text,
            "traits": traits,
            "shown_by": list(made.shown_by),
        }
        if not item.negative and (made.say or made.do):
            result |= {"when": FIRST, "say": made.say, "do": list(made.do)}
        if made.ear:
            result["by_ear"] = True
        if made.check:
            shown = item.text if len(item.text) <= _MOST_SHOWN else f"{item.text[:_MOST_SHOWN]}..."
            judged = "cannot be judged by rule: " if made.ear and not made.shown_by else ""
            self._check(where, f'"{shown}": {judged}{made.check}', item.place)
        return {
            key: one
            for key, one in result.items()
            if one not in ("", [], {}) or (key == "shown_by" and not made.ear)
        }

    def _states(self, people: Cast, told: Brief, vitals: Mapping[str, str]) -> list[dict[str, Any]]:
        who = people.actor_name if people.actor else people.name or "The patient"
        first: dict[str, Any] = {
            "id": FIRST,
            "label": "As the station begins",
            "status": f"{who} is in front of you.",
            "vitals": dict(vitals),
        }
        cue = " ".join(line.text for line in told.directions)
        if cue:
            first["cue"] = cue
        first["ends"] = "eos"
        self._check(f"states[{FIRST}].status", "write how the patient looks at first sight")
        if not vitals and any(act.get("monitors") for act in self.acts.values()):
            self._check(
                f"states[{FIRST}].vitals",
                "the station's papers give no vital signs: write them for whoever takes them",
            )
        read = changes(self._of("course", "examiner", "findings", "background"))
        for line in read.unread:
            self._check(
                "states",
                f'a change could not be read: "{line.text[: _MOST_SHOWN * 2]}": write a state for it',
                line.place,
            )
            self._leave(line, "tells how the patient changes, not plainly enough for a rule")
        states = [first]
        ways: list[dict[str, Any]] = []
        for number, change in enumerate(read.found, start=1):
            if (state := self._changed(change, number, first, ways)) is not None:
                states.append(state)
        if ways:
            first["transitions"] = sorted(ways, key=lambda way: "did" not in way)
            treated = [way for way in ways if "did" in way]
            for state in states[1:]:
                if state["id"].startswith("worse") and treated:
                    state["transitions"] = [dict(way) for way in treated]
        return [{key: one for key, one in state.items() if one not in ({}, [], "")} for state in states]

    def _changed(
        self, change: Change, number: int, first: Mapping[str, Any], ways: list[dict[str, Any]]
    ) -> dict[str, Any] | None:
        """The state that a change leads to; its way is added to those of the first state."""
        did = self._given(change.what) if change.what else []
        if change.what and not did:
            self._check(
                "states",
                f'no act was recognized in "{change.what}": write the change as a state',
                change.line.place,
            )
            self._leave(change.line, "tells how the patient changes after an act that was not recognized")
            return None
        if change.kind != "treated" and change.after is None:
            self._check(
                "states",
                f'"{change.line.text[:_MOST_SHOWN]}" does not say after how many minutes: write the state',
                change.line.place,
            )
            self._leave(change.line, "tells of a change without a time")
            return None
        ident = f"{ {'untreated': 'worse', 'treated': 'better', 'timed': 'later'}[change.kind] }_{number}"
        way: dict[str, Any] = {"to": ident}
        if change.kind == "treated":
            way["did"] = did
        else:
            way["after"] = change.after
            if did:
                way["unless"] = did
        ways.append(way)
        then = _seen(change.then[:1].upper() + change.then[1:])
        self._check(
            f"states[{ident}]",
            "was drafted from one sentence: look at its vital signs, its time and what comes after",
            change.line.place,
        )
        return {
            "id": ident, "label": f"After a change, number {number}", "status": then,
            "vitals": {**first["vitals"], **vitals_in(change.then)}, "events": [then], "ends": "eos",
        }  # fmt: skip

    def _given(self, what: str) -> list[str]:
        """The ids of the acts that a change depends on."""
        result: list[str] = []
        place = Place("", "", 0)
        for piece in re.split(r"\s*(?:,|\band\b|\bor\b|&|\bplus\b)\s*", what):
            item = SheetItem(f"Gives {piece.strip()}", None, False, False, "PC", "", place)
            made = evidence(item, self.acts)
            for act in made.acts:
                self.acts.setdefault(act["id"], dict(act))
            result += made.do
        return list(dict.fromkeys(result))

    def _actions(self) -> list[dict[str, Any]]:
        """The acts as they go into the scenario."""
        acts = list(self.acts.values())
        for act in acts:
            if act.pop("missing", False):
                act["result"] = _NO_RESULT
                self._check(f"actions[{act['id']}]", f'no result was found for "{act["what"]}": write it')
        return [{key: one for key, one in act.items() if one != ""} for act in acts]


def _whole(value: float | None) -> float | None:
    return int(value) if value is not None and value == int(value) else value


def _seen(text: str) -> str:
    """The visible signs of a change, without the vital signs, which a monitor shows."""
    parts = [part for part in re.split(r"\s*[,;:]\s*", text.rstrip(". ")) if part and not vitals_in(part)]
    return f"{', '.join(parts) or text.rstrip('. ')}."


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:40].strip("_") or "one"
