"""Biased doctors and patients: a model reads the bias as part of its role, a built-in player simulates it.

The bias is the first item of the feed, so a model's prompt still grows only at its end. Its effects on
built-in players are declared in `knowledge/biases.yaml`: the doctor reads them off the feed (`doctor_notes`),
the patient is given fewer facts.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, answer_of
from osler.core.contract import OwnReply, ReplyWithUsage, Request
from osler.core.wrapper_events import Leaning
from osler.knowledge.biases import Intensity, biases, does, paragraph
from osler.players.wrappers.asking import fingerprint_around
from osler.protocols.consultation.events import Registered
from osler.protocols.shared.patient import PatientReply, PatientView
from osler.text.findings_in_text import mentions

_MOST_WORDS: Final = 8000


class BiasedDoctor:
    """A doctor under a bias towards `target`. An implicit bias applies only to patients whose registration
    form, if there is one, gives the trait value `against`."""

    def __init__(
        self, doctor: AnyPlayer, bias: str, intensity: Intensity, target: str, against: str = ""
    ) -> None:
        self._doctor, self._bias, self._intensity, self._target = doctor, bias, intensity, target
        self._against = against
        self.name, self.durable = doctor.name, doctor.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the bias, its words, and the doctor's own fingerprint."""
        return fingerprint_around(self._doctor, self._leaning().line, self._against)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Return the doctor's reply under the bias."""
        form = next((item for item in request.feed if isinstance(item, Registered)), None)
        if form is None or not self._against or form.value == self._against:
            request = request._replace(feed=(self._leaning(), *request.feed))
        return await answer_of(self._doctor, request, inner)

    def _leaning(self) -> Leaning:
        done = does(self._bias, "doctor", self._intensity)
        text = paragraph(self._bias, "doctor", self._intensity, self._target)
        return Leaning(
            minute=0,
            to=("doctor",),
            text=text,
            target=self._target,
            leans=done.leans,
            settles=done.settles,
            doubts=done.doubts,
        )


class BiasedPatient:
    """A patient under a bias. With `built_in`, it does not recall the declared share of its facts, the same
    ones throughout an encounter, and voices a belief of its own once."""

    def __init__(
        self, patient: AnyPlayer, bias: str, intensity: Intensity, target: str, *, built_in: bool
    ) -> None:
        self._patient, self._bias, self._intensity, self._target = patient, bias, intensity, target
        self._built_in = built_in
        self.name, self.durable = patient.name, patient.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the bias, its words, and the patient's own fingerprint."""
        withheld = str(does(self._bias, "patient", self._intensity).withholds) if self._built_in else ""
        return fingerprint_around(self._patient, self._leaning().line, withheld)

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Return the patient's reply under the bias."""
        if not self._built_in:
            request = request._replace(feed=(self._leaning(), *request.feed))
            return await answer_of(self._patient, request, inner)
        said = await answer_of(self._patient, request._replace(view=self._thinned(request)), inner)
        believes = biases().biases[self._bias].kind == "cognitive"
        if (
            believes
            and isinstance(said, PatientReply)
            and not any(isinstance(i, OwnReply) for i in request.feed)
        ):
            opinion = biases().opinion.format(target=self._target)
            return said.model_copy(update={"answer": f"{said.answer} {opinion}"[:_MOST_WORDS]})
        return said

    def _thinned(self, request: Request[PatientView]) -> PatientView:
        """The view without the facts the patient does not recall; asked about those, it is unsure."""
        share = does(self._bias, "patient", self._intensity).withholds
        view = request.view
        gone = [
            fact for fact in view.facts if request.rng("patient", f"withholds {fact.id}").random() < share
        ]
        unsure = {name for fact in gone for name in mentions(fact.text)}
        return view.model_copy(
            update={
                "facts": tuple(fact for fact in view.facts if fact not in gone),
                "unsure_of": tuple(dict.fromkeys((*view.unsure_of, *sorted(unsure)))),
            }
        )

    def _leaning(self) -> Leaning:
        text = paragraph(self._bias, "patient", self._intensity, self._target)
        return Leaning(minute=0, to=("patient",), text=text, target=self._target)
