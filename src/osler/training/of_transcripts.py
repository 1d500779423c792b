"""Rows of a data set from transcripts of interviews that were held elsewhere, for one seat.

Such a row has no case, no limits and no results: its prompt says who speaks, and then what was said before.
Each transcript is a case of its own, and two that are nearly the same stay in one split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pydantic import JsonValue

from osler.core.episode import digest
from osler.core.protocol import Protocol
from osler.core.registry import protocols
from osler.errors import BadInput
from osler.prompts import prompt
from osler.text.transcripts import SpokenLine, Transcript, placed, transcript_in
from osler.training.build import Gathered, Plan, finished
from osler.training.filters import Rejected, control_token
from osler.training.samples import Sample
from osler.training.splits import case_text
from osler.training.spool import places
from osler.training.state import said, state_id
from osler.training.task import TrainedSeat, trained_seat

_PROMPT: Final = "osler.training:prompts/told_elsewhere.jinja"
_BEGINS: Final = "(The conversation begins.)"
_SYSTEM: Final = {"system": "nobody", "developer": "nobody"}


def built_of_transcripts(
    files: Sequence[Path], roles: Mapping[str, str], plan: Plan, beside: Path
) -> tuple[Gathered, Protocol]:
    """Build a data set from transcripts into a spool beside a folder; the caller closes the spool.

    `roles` are seats by speaker, in lower case. Raises BadInput.
    """
    if "revision" in plan.kinds:
        raise BadInput("a transcript holds no refused drafts", where="--kind revision", hint="leave it out")
    if not plan.licence:
        hint = 'such as --licence "CC BY 4.0": the words are other people\'s'
        raise BadInput(
            "nothing says under which licence the transcripts may be used", where="--licence", hint=hint
        )
    protocol, seat = _seat(roles, plan)
    names = {role.name for role in protocol.roles}
    own = {**{name: name for name in names}, **_SYSTEM}
    talks = [(file, transcript_in(file, {*names, *roles})) for file in files]

    def gather(into: Gathered) -> None:
        for file, transcript in sorted(talks):
            _take(file, _lines(file, transcript, roles, own, names), into)

    return finished(plan, protocol, seat, beside, (), gather), protocol


def _seat(roles: Mapping[str, str], plan: Plan) -> tuple[Protocol, TrainedSeat]:
    """The protocol that has all the seats named, and the one that is trained. Raises BadInput."""
    wanted = {*roles.values()} - {"nobody"}
    for protocol in protocols():
        seat = plan.seat or protocol.under_test
        if seat in protocol.training and wanted <= {role.name for role in protocol.roles}:
            result = trained_seat(protocol, seat)
            return protocol, result if plan.thinking else result.without_thinking()
    text = "; ".join(
        f"{one.name}: {', '.join(role.name for role in one.roles)}" for one in protocols() if one.training
    )
    raise BadInput(f"no protocol has the seats {', '.join(sorted(wanted))}", where="--roles", hint=text)


def _lines(
    file: Path, transcript: Transcript, roles: Mapping[str, str], own: Mapping[str, str], names: set[str]
) -> tuple[SpokenLine, ...]:
    try:
        return placed(transcript, roles, own, names)
    except BadInput as error:
        raise BadInput(error.what, where=error.where or str(file), hint=error.hint) from None


def _take(file: Path, lines: Sequence[SpokenLine], into: Gathered) -> None:
    """Keep each turn of the seat in a transcript, with what was said before it."""
    seat = into.seat
    case_hash = digest("transcript", *(word for line in lines for word in line))
    # What makes two transcripts alike is the others' words: everybody who asks uses the same phrases.
    texts = [line.text for line in lines if line.speaker != seat.seat]
    whole = prompt(_PROMPT)
    chat = [said("system", whole.render({"seat": seat.seat.replace("_", " ")}))]
    others = {line.speaker for line in lines} - {seat.seat}
    session, number = places((case_hash,)), 0
    into.figures.episodes += 1
    for mine, group in groupby(lines, key=lambda line: line.speaker == seat.seat):
        groups = [line for line in group if line.text.strip()]
        if mine and groups:
            if len(chat) == 1:
                chat.append(said("user", _BEGINS))
            target = seat.words(" ".join(line.text.strip() for line in groups))
            sample = Sample(
                id=state_id(seat.protocol, seat.seat, case_hash, number),
                protocol=seat.protocol,
                seat=seat.seat,
                run=file.name,
                episode=case_hash,
                turn=number,
                world=case_hash,
                case_id=file.stem,
                case_hash=case_hash,
                cluster=case_hash,
                messages=tuple(chat),
                kind="single",
                target=target,
                rounds=number + 1,
                provenance=_provenance(seat, into.plan.licence, whole.hash),
            )
            into.spool.add(places((case_hash, f"{number:09d}")), session, sample, _refused(target))
            chat.append(said("assistant", target))
            number += 1
        elif groups:
            words = [
                line.text.strip() if len(others) < 2 else f"{line.speaker}: {line.text}" for line in groups
            ]
            chat.append(said("user", "\n".join(words)))
    if not number:
        raise BadInput(f"the {seat.seat} says nothing in it", where=str(file), hint="see --roles and --seat")
    into.cases[case_hash] = case_text(case_hash, file.stem, texts)
    into.spool.case(case_hash, {"case_id": file.stem, "texts": texts})


def _provenance(seat: TrainedSeat, licence: str, hash_: str) -> dict[str, JsonValue]:
    players: Any = {seat.seat: "transcript"}
    return {
        "protocol": seat.protocol,
        "players": players,
        "models": {},
        "prompt": hash_,
        "origin": "transcript",
        "licence": licence,
    }


def _refused(target: str) -> Rejected | None:
    why = control_token(target)
    return Rejected("control", why) if why else None
