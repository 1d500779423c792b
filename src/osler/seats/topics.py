"""The topics of a clinical history, by which facts are tagged and questions are classified."""

from __future__ import annotations

from typing import Literal, get_args

Topic = Literal[
    "complaint",  # what brings them here
    "course",  # onset, duration, development, timing
    "character",  # what it is like, where, how bad
    "modifiers",  # what brings it on, worsens or eases it
    "associated",  # what else goes with it
    "systems",  # review of systems, positive or negative
    "past_medical",
    "past_surgical",
    "medications",
    "allergies",
    "family",
    "tobacco",
    "alcohol",
    "drugs",
    "occupation",
    "home",  # who they live with, support, daily function
    "travel",
    "exposure",  # contacts, animals, toxins, food
    "sexual",
    "gynaecological",  # periods, pregnancies, contraception
    "birth",  # birth, growth, development, feeding
    "immunization",
    "diet",  # eating, exercise, weight
    "mood",
    "ideas",
    "concerns",
    "expectations",
    "identity",  # name, age
    "other",
]
TOPICS: tuple[Topic, ...] = get_args(Topic)
