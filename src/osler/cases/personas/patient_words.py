"""Writing a patient persona: a short biography, a manner of speaking, and the performance instruction.

The instruction is about manner alone and names neither age nor sex, so that it suits any case the persona is
given to.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from osler.cases.personas.occupation import Occupation
from osler.cases.personas.people import ADULT_FROM_YEARS
from osler.cases.personas.traits import Archetype, Trait, child_traits, patient_traits
from osler.cases.personas.wording import Writer, capital

_SELF_FROM_YEARS: Final = 11
"""The age in years from which a patient speaks without an adult."""
_SMALL_UNDER_YEARS: Final = 7
_WORKS_FROM_YEARS: Final = 18


class Who(NamedTuple):
    """A person's attributes before they are put into words.

    `done_at` is the age in years at which education ended, `adult` the adult who accompanies a minor.
    """

    name: str
    age: int
    work: Occupation
    archetype: Archetype
    attitude: Trait
    knowledge: Trait
    done_at: int
    adult: str

    @property
    def is_minor(self) -> bool:
        """Whether the person is under eighteen."""
        return self.age < ADULT_FROM_YEARS


class PatientWords:
    """Writes patients, drawing frames evenly over all of them."""

    def __init__(self, luck: Random) -> None:
        self._luck = luck
        self._writer = Writer(luck)

    def tic(self) -> str:
        """A pet phrase."""
        return self._writer.draw("tic", patient_traits().tic)

    def style(self, who: Who, tic: str) -> str:
        """The manner of speaking in one line."""
        first, second = self._luck.sample(who.archetype.style, 2)
        return f"{capital(first)}; {second}; often says '{tic}'."

    def life(self, who: Who) -> str:
        """A biography in two sentences, in the third person."""
        known, write = patient_traits(), self._writer.sentence
        frames = {
            "working": known.lives_working,
            "retired": known.lives_retired,
            "other": known.lives_other,
            "pupil": known.lives_pupil,
        }[who.work.kind]
        young = who.age < _SELF_FROM_YEARS
        hobbies = child_traits().hobbies if young else known.hobbies
        hobby = self._writer.draw(f"hobby {young}", hobbies)
        lived = write(
            f"life {who.work.kind}",
            frames,
            name=who.name,
            a_work=who.work.plain,
            years=self._years(who),
            age=f"{who.age} years old",
            adult=who.adult,
        )
        return f"{lived} {write('free', known.lives_free, hobby=hobby)}"

    def instruction(self, who: Who, tic: str) -> str:
        """The performance instruction, in the second person."""
        if who.age < _SELF_FROM_YEARS:
            return self._child(who, tic)
        known, write, label = patient_traits(), self._writer.sentence, who.archetype.label
        slots = {"tic": tic, "adult": who.adult}
        for name in ("prop", "today"):
            slots[name] = self._writer.draw(name, getattr(known, name))
        manners, moments = self._luck.choice(((2, 1), (1, 2)))
        body = [
            *(write(f"manner {label}", who.archetype.manner) for _ in range(manners)),
            *(write(f"moment {label}", who.archetype.moment) for _ in range(moments)),
            write(f"attitude {who.attitude.label}", who.attitude.say),
            write(f"knowledge {who.knowledge.label}", who.knowledge.say),
        ]
        extras = {"tic": known.tic_frames, "prop": known.prop_frames, "today": known.today_frames}
        if who.is_minor:
            extras = {"beside": known.beside_teen, "tic": known.tic_frames, "prop": known.prop_frames}
        for extra in self._luck.sample(list(extras), self._luck.choice((1, 2))):
            body.append(write(f"{extra} frame", extras[extra], **slots))
        return self._put_together(self._opener(who), body, write("closing", known.closings))

    def _opener(self, who: Who) -> str:
        known, write = patient_traits(), self._writer.sentence
        if who.work.kind == "pupil":
            return write("pupil", known.openers_pupil)
        image = self._writer.draw(f"image {who.work.plain}", who.work.images)
        frames = known.openers_retired if who.work.kind == "retired" else known.openers
        return write(
            f"opener {who.work.kind}", frames, image=image, a_work=who.work.noun, a_plain=who.work.plain
        )

    def _child(self, who: Who, tic: str) -> str:
        known, write = child_traits(), self._writer.sentence
        slots = {"adult": who.adult, "tic": tic, "prop": self._writer.draw("toy", known.prop)}
        small = who.age < _SMALL_UNDER_YEARS
        first = known.opening_small if small else known.opening_older
        label, attitude, knowledge = who.archetype.label, who.attitude.label, who.knowledge.label
        body = [
            *(write(f"child {label}", known.archetypes[label], **slots) for _ in range(2)),
            write(f"child {attitude}", known.attitudes[attitude], **slots),
            write(f"child {knowledge}", known.knowledge[knowledge], **slots),
        ]
        extras = {"toy": known.prop_frames, "child tic": known.tic_frames}
        for extra in self._luck.sample(list(extras), self._luck.choice((1, 2))):
            body.append(write(f"{extra} frame", extras[extra], **slots))
        self._luck.shuffle(body)
        opening = write(f"child opening {small}", first, **slots)
        return " ".join((opening, *body, write("child closing", known.closings)))

    def _put_together(self, opener: str, body: list[str], closing: str) -> str:
        """The instruction with its body in any order, the opener early in it, the closing last."""
        self._luck.shuffle(body)
        body.insert(self._luck.choice((0, 0, 1, 2)), opener)
        return " ".join((*body, closing))

    def _years(self, who: Who) -> str:
        """The duration of a working life in words."""
        began = max(_WORKS_FROM_YEARS, who.done_at)
        stopped = who.age - self._luck.randint(1, who.age - 60) if who.work.kind == "retired" else who.age
        most = max(1, min(stopped - began, 45))
        years = self._luck.randint(-(-most // 3), most)
        return "a year" if years == 1 else f"{years} years"
