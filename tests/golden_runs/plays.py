"""What is played for the goldens: commands as a user types them, each play in a store of its own."""

from __future__ import annotations

from typing import Final, NamedTuple

Step = tuple[str, ...]


class Play(NamedTuple):
    """Commands in order. `asks_models`: they need the endpoints `fake` and `other`."""

    steps: tuple[Step, ...]
    asks_models: bool = False


def _steps(text: str) -> tuple[Step, ...]:
    """A command a line, or over several lines that end in a stroke; `~` stands for a blank in a word."""
    lines = (line.split() for line in text.replace("|\n", " ").strip().splitlines())
    return tuple(tuple(word.replace("~", " ") for word in words) for words in lines)


BIAS_STUDY: Final = """\
name: golden
title: Biases and twins
question: Does anything move?
protocol: consultation
base: {}
conditions:
  none: {}
  doctor: {bias: doctor/recency/strong}
  patient: {bias: patient/self-diagnosis/strong}
  she: {twin: gender/female, bias: doctor/gender/strong}
  he: {twin: gender/male, bias: doctor/gender/strong}
primary: {figure: accuracy, condition: doctor, against: none}
"""
MEMORY_STUDY: Final = """\
name: golden
title: A memory
question: Is it looked into?
protocol: consultation
base: {}
conditions:
  first: {}
  then: {doctor: +memory+cot, memory: {from: first}}
primary: {figure: accuracy, condition: then, against: first}
"""

BUILT_IN: Final = {
    "consultation-plain": """
        consult library --limit=3 --repeats=2 --seed=3 --persona=anxious --consultant=baseline
        judge run last
    """,
    "consultation-shown": "consult library --doctor=oracle --limit=3 --persona=stoic --options=shown",
    "consultation-trivial": """
        consult library --doctor=always-conclude --limit=2 --persona=talkative
        consult library --doctor=null --limit=2 --max-turns=3 --persona=skeptical
    """,
    "consultation-made-up": """
        consult generated:4:11 --persona=patient-042 --unknown=withhold --max-cost=200 --max-visits=2
        consult generated:2:5 --unknown=normal --max-tests=2
    """,
    "consultation-thinking": """
        consult library --doctor=baseline+cot+ensemble:3 --limit=2 --max-turns=6
        consult library --doctor=baseline-naive+discuss:2 --limit=1 --max-turns=6
    """,
    "consultation-mdt": """
        consult library --limit=2 --max-turns=8 --consultant=baseline --mdt=always --mdt-every=3 |
           --specialty=cardiology --specialty=surgery
    """,
    "consultation-branch": """
        consult library --limit=1 --seed=7
        branch last:0 --at=6 --doctor=always-conclude
        consult library --limit=1 --seed=8 --consultant=baseline
        branch last:0 --at=3 --say=Does~it~hurt~at~night? --repeats=2
    """,
    "consultation-biases": "study run biases.yaml --cases=library --limit=2",
    "consultation-memory": "study run memory.yaml --cases=generated:8:1 --doctor=baseline-naive --seed=2",
    "round-socratic": """
        round library --limit=2 --students=3 --max-rounds=3 --seed=4
        judge run last
    """,
    "round-lecturer": "round library --limit=2 --tutor=lecturer --theory=telling --students=2 --max-rounds=2",
    "round-others": """
        round library --limit=1 --tutor=announcer --theory=novice --repeats=2 --persona=anxious
        round library --limit=1 --tutor=silent --student=construct,telling,novice --max-rounds=1
        round library --limit=1 --tutor=parrot --patient=none --specialist=none --supervisor=none
    """,
    "round-controls": """
        round library --limit=2 --teach-by=another --exam=unseen --max-drafts=1 --no-private-thought
    """,
    "round-branch": """
        round library --limit=1 --seed=5
        branch last:0 --at=9 --tutor=silent
    """,
    "scenario-baseline": """
        scenario play library --limit=3 --persona=anxious --seed=2
        judge run last
        judge run last --judge=lexical
    """,
    "scenario-several": """
        scenario play library --examinee=null,oracle,opening-only --limit=2
        scenario play library --examinee=repeat-everything --only=st03 --max-turns=4 --repeats=2
    """,
    "scenario-static": "scenario play library --examinee=oracle --arm=static --limit=2 --judge=lexical",
    "scenario-branch": """
        scenario play library --only=st02 --seed=5
        branch last:1 --at=4 --examinee=opening-only
    """,
}
"""Players of ours."""

BY_MODELS: Final = {
    "consultation-models": """
        consult library --seed=1 --doctor=model:fake --patient=model:fake --examination=model:fake |
           --consultant=model:fake --limit=2 --max-turns=5
        judge run last --judge=model:other
    """,
    "consultation-models-voting": """
        consult library --seed=1 --doctor=model:fake+cot+ensemble:3 --limit=1 --max-turns=6 |
           --consultant=model:fake --mdt=always
        branch last:0 --at=4 --doctor=model:fake+discuss:2 --repeats=2
    """,
    "consultation-models-in-text": """
        consult library --seed=1 --doctor=model:fake --moves=text --limit=1 --max-turns=4 |
           --second-reader=model:other --patient=model:fake --unknown=withhold
    """,
    "round-models": """
        round library --seed=8 --limit=1 --tutor=model:fake --student=model:fake --patient=model:fake |
           --specialist=model:fake --supervisor=model:fake --expert=model:fake --students=2 --max-rounds=2
        judge run last --judge=model:other
        branch last:0 --at=8 --tutor=model:other
    """,
    "round-models-in-text": """
        round library --seed=1 --limit=1 --tutor=model:fake --moves=text --students=1 --max-rounds=2
    """,
    "scenario-models": """
        scenario play library --seed=1 --examinee=model:fake --patient=model:fake --controller=model:fake |
           --only=st01 --max-turns=3 --judge=model:other
        scenario play library --seed=1 --examinee=model:fake+best-of:2,model:fake+self-consistency:2 |
           --only=st02 --max-turns=2
        scenario play library --seed=1 --examinee=model:fake+panel:2 --only=st03 --max-turns=2
        branch last:2 --at=2 --examinee=model:other
    """,
}
"""Models in every seat, and models that judge."""

PLAYS: Final = {name: Play(_steps(text)) for name, text in BUILT_IN.items()} | {
    name: Play(_steps(text), asks_models=True) for name, text in BY_MODELS.items()
}
SAMPLES: Final = {"consultation-branch": 0, "round-branch": 0, "scenario-branch": 0}
"""Plays of which the export of one run is kept unpacked as well, for people to read."""
