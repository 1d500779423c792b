"""A tutor's states in a few words, with all that a reward may know: prompts that cost a model nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from osler.training.samples import Sample, as_row
from osler.training.state import said

NAMES = "Ada Ben Cem Dora Edo Fay Gus Hana Ivo June Kai Lea Mio Noa Otto Pia".split()


def sample(n: int, name: str = "", **more: Any) -> Sample:
    """A state with one student, and a turn that parses."""
    name = name or NAMES[n % len(NAMES)]
    context = {
        **{"question": "What is it?", "case": "Pain: in the chest.", "answer": "pericarditis", "covered": []},
        **{
            "steps": [{"number": 1, "question": "Where does the pain go?", "summary": "It goes to the neck."}]
        },
        **{"students": [name], "analyses": {name: "The pain is in the chest."}, "history": ""},
        **{"options": None, "has_images": False, "thinking": True},
    }
    target = (
        f"<think_history>None.</think_history>\n<think_question>Pain.</think_question>\n"
        f'<think_student student_id="{name}">Chest.</think_student>\n'
        f"<think_group>One.</think_group>\n\n{name}, where does the pain go?"
    )
    found: dict[str, Any] = {
        **{"id": f"state-{n:02}", "protocol": "ward_round", "seat": "tutor", "run": "made up"},
        **{"episode": f"e{n}", "turn": 0, "world": f"w{n}", "case_id": "a", "case_hash": "b", "cluster": "c"},
        **{
            "messages": (said("system", "You teach."), said("user", f"{name}: chest pain. Guide.")),
            "kind": "single",
        },
        **{"target": target, "split": "train", "context": context},
    }
    return Sample.model_validate({**found, **more})


def data_set(folder: Path, samples: list[Sample]) -> Path:
    """The samples as a data set, as far as a policy's training reads it."""
    (folder / "rows").mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps({"made_by": "osler dataset"}))
    lines = "".join(json.dumps(as_row(one)) + "\n" for one in samples)
    (folder / "rows" / "single_train.jsonl").write_text(lines)
    return folder
