"""Recorded moments of a made-up ward round, and turns of its tutor."""

from __future__ import annotations

from typing import Any

from osler.protocols.ward_round.monologue import Thought, Turn, render
from osler.training.state import ImageRef, State, said

NAMES = ("Ann", "Bo", "Cyd")
CASE = """A man of 61 has crushing chest pain since breakfast.
He takes metformin for diabetes.
ECG: ST elevation in leads II, III and aVF.
Blood pressure: 84/50 mmHg, the lungs are clear."""
STEPS: list[dict[str, Any]] = [
    {
        "number": 1,
        "question": "Which leads show the ST elevation, and which wall of the heart is that?",
        "summary": "ST elevation in II, III and aVF means the inferior wall, so the right coronary artery.",
        "image": "image-1",
    },
    {
        "number": 2,
        "question": "Why is the blood pressure low although the lungs are clear?",
        "summary": "Low pressure with clear lungs suggests that the right ventricle fails.",
        "image": None,
    },
    {
        "number": 3,
        "question": "Which drug must be withheld when filling of the right ventricle matters?",
        "summary": "Nitrates lower preload and are withheld.",
        "image": None,
    },
]
ANALYSES = {
    "Ann": "The elevation in the lower leads looks like an infarct, perhaps of the inferior wall.",
    "Bo": "His diabetes and metformin worry me, I would check glucose and lactate first.",
    "Cyd": "Clear lungs speak against oedema, so fluid might be given safely.",
}
ANSWER = "Right ventricular infarction"


def state_of(
    *,
    images: bool = False,
    names: tuple[str, ...] = NAMES,
    analyses: dict[str, str] | None = None,
    ident: str = "s1",
    **context: Any,
) -> State:
    """The first round of the case; with `images`, the tutor sees a tracing."""
    given = ANALYSES if analyses is None else analyses
    lines = "\n".join(f"{name}: <analysis>{given.get(name, '')}</analysis>" for name in names)
    known: dict[str, Any] = {
        "question": "What is going on, and what follows for treatment?",
        "case": CASE,
        "answer": ANSWER,
        "options": {"A": ANSWER, "B": "Pulmonary embolism", "C": "Aortic dissection"},
        "steps": STEPS,
        "covered": [],
        "students": list(names),
        "analyses": {name: given.get(name, "") for name in names},
        "history": "",
        "has_images": images,
    }
    return State(
        id=ident,
        protocol="ward_round",
        seat="tutor",
        run="r",
        episode="e1",
        turn=0,
        world="world-1",
        case_id="chest",
        case_hash="c" * 16,
        cluster="c" * 16,
        messages=(said("system", "You are the tutor."), said("user", f"{lines}\nGuide the group now.")),
        images=(ImageRef(sha256="0" * 64, media_type="image/png"),) if images else (),
        context={**known, **context},
    )


def perfect(*, images: bool = False, names: tuple[str, ...] = NAMES) -> Turn:
    """A turn in which nothing is wanting."""
    blocks = {
        "Ann": "Sees the elevation in the lower leads and thinks of the inferior wall; lacks the artery.",
        "Bo": "Is held by diabetes, glucose and lactate; needs to look at the tracing again.",
        "Cyd": "Uses the clear lungs against oedema; has not asked why the pressure is low.",
    }
    return Turn(
        Thought(
            "The pain and the tracing have been told; this is the first round.",
            "Which leads show the ST elevation, and which wall of the heart is that? It is the next step.",
            tuple((name, blocks[name]) for name in names),
            "All agree that the heart is ill, Bo differs about diabetes, and nobody has yet named the wall.",
            "The tracing shows ST elevation in II, III and aVF, the leads of the inferior wall."
            if images
            else None,
        ),
        "Ann and Bo, put the tracing and the diabetes side by side: which leads show the elevation, Cyd?",
    )


def text_of(turn: Turn) -> str:
    """The turn as a policy writes it."""
    return render(turn)
