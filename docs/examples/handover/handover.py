"""A nurse hands a patient over in SBAR. For education and research only; not for clinical use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, Literal

import osler
from pydantic import Field, TypeAdapter

HERE: Final = Path(__file__).parent
Section = Literal["situation", "background", "assessment", "recommendation"]
SECTIONS: Final[tuple[Section, ...]] = ("situation", "background", "assessment", "recommendation")
NOTHING: Final = "Nothing to report."
LONGEST: Final = 320


class Item(osler.Frozen):
    """An item to hand over. It counts as said if each keyword was said; "fell|fall" means either."""

    id: str
    section: Section
    text: str
    critical: bool = False
    keywords: tuple[str, ...] = Field(min_length=1)

    def quoted(self, texts: Iterable[str]) -> str:
        """The quote that hands it over, from the first text that does; empty if none has every keyword."""
        for text in texts:
            either = ["|".join(map(re.escape, one.split("|"))) for one in self.keywords]
            found = [re.search(rf"(?<!\w)(?:{words})", text, re.IGNORECASE) for words in either]
            spans = [match.span() for match in found if match]
            if len(spans) == len(found):
                return text[min(spans)[0] : max(end for _, end in spans)]
        return ""


class Handover(osler.Material):
    """A case: the patient, the ward's sheet by section, the items to hand over, the sources and the date."""

    patient: str
    sheet: dict[Section, tuple[str, ...]]
    items: tuple[Item, ...] = Field(min_length=1)
    sources: tuple[str, ...]
    written: str


class GiverView(osler.View):
    patient: str
    sheet: dict[Section, tuple[str, ...]]


class ReceiverView(osler.View):
    patient: str
    max_questions: int


class Statement(osler.Frozen):
    text: str = Field(min_length=1, max_length=LONGEST)


class Receipt(osler.Frozen):
    text: str = Field(min_length=1, max_length=8000)
    is_read_back: bool = False


GIVER: Final = osler.Contract("giver", GiverView, TypeAdapter(Statement))
RECEIVER: Final = osler.Contract("receiver", ReceiverView, TypeAdapter(Receipt))


class SectionDue(osler.Event):
    kind: Literal["section_due"] = "section_due"
    section: Section


class HandedOver(osler.Event):
    kind: Literal["handed_over"] = "handed_over"
    section: Section | None = None
    text: str


class ReadBack(osler.Event):
    kind: Literal["read_back"] = "read_back"
    text: str


WORDS: Final[osler.Words] = {
    SectionDue: lambda event: osler.noted("section due", event.section),
    HandedOver: lambda event: osler.said("giver", event.text),
    ReadBack: lambda event: osler.said("receiver", event.text),
}


class HandoverSettings(osler.Settings):
    max_turns: int = Field(default=8, ge=len(SECTIONS), le=40)


class HandoverConfig(osler.Config):
    protocol: ClassVar[str] = "handover/1"
    model: ClassVar[type[Handover]] = Handover

    giver: str = "baseline"
    receiver: str = "baseline"
    settings: HandoverSettings = HandoverSettings()


async def story(table: osler.Table, episode: osler.Episode[Handover], cast: osler.Cast) -> osler.Outcome:
    """Section by section; then the receiver asks, and at last reads back."""
    case, most = episode.case, episode.settings.max_turns
    counts = {"turns": 0, "questions": 0}

    async def hand_over(section: Section | None = None) -> None:
        counts["turns"] += 1
        statement = await table.ask(GIVER)
        table.pass_time(1)
        table.tell(HandedOver, "receiver", section=section, text=statement.text)

    async def told() -> tuple[osler.Status, str]:
        table.seat(GIVER, GiverView(patient=case.patient, sheet=case.sheet))
        table.seat(RECEIVER, ReceiverView(patient=case.patient, max_questions=most - len(SECTIONS)))
        for section in SECTIONS:
            table.tell(SectionDue, "giver", section=section)
            await hand_over(section)
        while not (receipt := await table.ask(RECEIVER)).is_read_back:
            if counts["turns"] == most:
                return osler.Status.OUT_OF_TURNS, f"turns: all {most} were used"
            counts["questions"] += 1
            table.tell(osler.Said, "giver", by="receiver", text=receipt.text)
            await hand_over()
        table.tell(ReadBack, "giver", text=receipt.text)
        return osler.Status.COMPLETED, "it was read back"

    return await osler.outcome_of(table, told, lambda: counts)


def giver(name: str, lines: Callable[..., Iterable[str]]) -> osler.Factory:
    """A built-in giver: `lines` returns its sentences, given the request, the section (`None` if a question
    names none) and whether it was asked. Text beyond a turn's limit is cut off."""

    def say(request: osler.Request[GiverView]) -> Statement:
        now = next(item for item in reversed(request.feed) if isinstance(item, SectionDue | osler.Said))
        wanted = now.section if isinstance(now, SectionDue) else now.text.casefold()
        section = next((one for one in SECTIONS if one in wanted), None)
        return Statement(
            text=" ".join(lines(request, section, isinstance(now, osler.Said)))[:LONGEST] or NOTHING
        )

    return osler.built_in(name, say)


def remembered(request: osler.Request[GiverView], section: Section | None, asked: bool) -> Iterable[str]:
    """The lines under the heading; a quarter is forgotten until someone asks."""
    lines = request.view.sheet[section] if section else ()
    return [line for line in lines if asked or request.rng("giver", f"forgets {line}").random() >= 0.25]


def oracle(asked: osler.PlayerRequest[Handover]) -> osler.AnyPlayer:
    """The oracle: it knows the key, and says exactly that."""
    key = asked.case.items
    return giver("oracle", lambda _, section, __: [one.text for one in key if one.section == section])(asked)


def receive(request: osler.Request[ReceiverView]) -> Receipt:
    """Ask once about each section that was left empty, then read back what was heard."""
    heard = [item for item in request.feed if isinstance(item, HandedOver)]
    asked = sum(isinstance(item, osler.OwnReply) for item in request.feed)
    empty = [one.section for one in heard if one.section and one.text == NOTHING]
    if asked < min(len(empty), request.view.max_questions):
        return Receipt(text=f"Is there anything on the {empty[asked]}?")
    return Receipt(text=" ".join(one.text for one in heard), is_read_back=True)


GIVERS: Final = {
    "baseline": giver("baseline", remembered),
    "null": giver("null", lambda *_: ()),
    "oracle": oracle,
    "repeat-everything": giver("repeat-everything", lambda request, *_: sum(request.view.sheet.values(), ())),
}
RECEIVERS: Final = {"baseline": osler.built_in("baseline", receive)}


GRADER, VERSION = "sbar", "1"


def judged(episode: osler.Episode[Handover], trace: osler.Trace) -> osler.Verdict:
    """Judge which items were handed over, each with its quote."""
    items = episode.case.items
    told, back = trace.of(HandedOver), [event.text for event in trace.of(ReadBack)]
    said = {one.id: one.quoted(t.text for t in told if t.section in (one.section, None)) for one in items}
    critical = [one for one in items if one.critical]
    heard = [one for one in critical if said[one.id]]
    scores: dict[str, dict[str, object]] = {
        "completeness": _share(items, said),
        "critical": _share(critical, said),
        **{name: _share([one for one in items if one.section == name], said) for name in SECTIONS},
        "read_back": _share(heard, {one.id: one.quoted(back) for one in heard}),
    }
    return osler.verdict(GRADER, osler.version_of(VERSION, items=items), scores)


def _share(items: Sequence[Item], said: Mapping[str, str]) -> dict[str, object]:
    if not items:
        return {"value": None, "reason": "there is nothing of this kind to hand over", "evidence": []}
    quotes = [{"item": one.id, "quote": said[one.id]} for one in items if said[one.id]]
    missing = ", ".join(one.id for one in items if not said[one.id])
    return {
        "value": len(quotes) / len(items),
        "reason": missing and f"missing: {missing}",
        "evidence": quotes,
    }


PROTOCOL: Final = osler.Protocol(
    one="hand-over",
    many="hand-overs",
    under_test="giver",
    config=HandoverConfig,
    source=lambda config: osler.open_material(config.cases, Handover, HERE / "cases"),
    story=story,
    roles=(
        osler.Role(contracts=(GIVER,), players=GIVERS, prompts=HERE, wrappers=osler.general_wrappers(GIVER)),
        osler.Role(contracts=(RECEIVER,), players=RECEIVERS, prompts=HERE),
    ),
    words=WORDS,
    judges=(osler.Judge(GRADER, judged, (GRADER,)),),
    measures=(
        osler.share_of("completeness", "handed over", "share of the items that were handed over"),
        osler.share_of("critical", "critical", "share of the critical items that were handed over"),
        *(osler.share_of(name, name, f"share of the items of the {name}") for name in SECTIONS),
        osler.share_of("read_back", "read back", "share of the critical items it heard that it read back"),
        osler.count_of("turns", "turns", "turns of the giver"),
        osler.count_of("questions", "questions", "questions of the receiver"),
    ),
    probes={"null": "nothing", "repeat-everything": "the sheet"},
)
