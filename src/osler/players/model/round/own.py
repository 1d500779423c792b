"""A tutor's own earlier turns, rendered as the assistant messages it wrote."""

from __future__ import annotations

import json
import re
from typing import Final, Literal

from osler.prompts import neutral
from osler.seats.monologue import Thought, Turn, render
from osler.seats.ward_round import Guidance

_BLOCK: Final = re.compile(r'<think_(\w+)(?: student_id="([^"]*)")?>(.*?)</think_\1>', re.DOTALL)


def own_guidance(reply: Guidance, moves: Literal["json", "text"]) -> str:
    """Render a tutor's earlier turn as it wrote it, with the thought in the fields or tags requested."""
    parts = _BLOCK.findall(reply.internal_monologue)
    said = {kind: neutral(words) for kind, _, words in parts if kind != "student"}
    students = [(name, neutral(words)) for kind, name, words in parts if kind == "student"]
    if moves == "text":
        if not parts:
            return neutral(reply.guidance)
        image = said.get("image")
        thought = Thought(said["history"], said["question"], tuple(students), said["group"], image)
        return render(Turn(thought, neutral(reply.guidance)))
    fields: dict[str, object] = {}
    if parts:
        named = [{"name": name, "thought": words} for name, words in students]
        fields = {"history": said["history"], "question": said["question"], "students": named}
        fields |= {"group": said["group"], "image": said.get("image")}
    fields |= {"guidance": neutral(reply.guidance), "covered_steps": reply.covered_steps}
    return json.dumps(fields, ensure_ascii=False)
