"""Pictures as data: the parameters of a tracing, a chart or a curve, or the hash of an image file.

A picture in a record is a few numbers, the same on every machine; `osler.pictures` draws it, or finds the
bytes of the file. No field names a disease or a file, and values a reader has to work out (a ratio, a
territory) are not printed on a drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from osler.core.events import JsonObject
from osler.errors import BadInput

Lead = Literal["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"]
Deflection = Annotated[float, Field(ge=-20, le=20)]
"""Millimetres of ECG paper above (or, negative, below) the baseline; 10 mm are 1 mV."""
Point = tuple[Annotated[float, Field(ge=0, le=130)], Annotated[float, Field(ge=0, le=300)]]
Points = Annotated[tuple[Point, ...], Field(min_length=1, max_length=200)]
Centile = Annotated[str, Field(pattern=r"^\d{1,2}(?:\.\d)?(?:st|nd|rd|th)$")]
Hertz = Annotated[int, Field(ge=125, le=8000)]
Hearing = Annotated[float, Field(ge=-10, le=120)]
Fraction = Annotated[float, Field(ge=0, le=150)]
Series = tuple[Annotated[float, Field(ge=0, le=300)] | None, ...]


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Picture(_Figures):
    kind: str

    @model_serializer(mode="wrap")
    def _kind_is_always_written(self, write: SerializerFunctionWrapHandler) -> JsonObject:
        """Write the kind even if defaults are left out, since a picture cannot be read back without it."""
        return {"kind": self.kind, **write(self)}


class Ecg(_Picture):
    """A twelve-lead electrocardiogram, from a wave model. Intervals in ms, deflections in mm (0.1 mV).

    Without P waves (`p_waves` false) the baseline undulates by `baseline_mm`. RR intervals run, in no order,
    from 1 - 1.3 x to 1 + 2.1 x `irregular` of their mean. `st_mm` is the height of the ST segment, `t_mm`
    that of the peak of T, both above the baseline; a lead not named there is normal, its T wave carried by
    its own ST segment. `q_waves` and `s_waves` are leads with a wide Q or a deep S.
    """

    kind: Literal["ecg"] = "ecg"
    rate_per_min: float = Field(gt=20, lt=300)
    irregular: float = Field(default=0, ge=0, le=0.5)
    p_waves: bool = True
    pr_ms: float = Field(default=160, ge=80, le=400)
    qrs_ms: float = Field(default=90, ge=50, le=240)
    qt_ms: float = Field(default=380, ge=200, le=700)
    axis_degrees: float = Field(default=50, ge=-180, le=180)
    st_mm: dict[Lead, Deflection] = {}
    pr_segment_mm: dict[Lead, Deflection] = {}
    t_mm: dict[Lead, Deflection] = {}
    q_waves: tuple[Lead, ...] = ()
    s_waves: tuple[Lead, ...] = ()
    baseline_mm: float = Field(default=0, ge=0, le=2)


class Blow(_Figures):
    """One forced expiration: FEV1 and FVC in litres, peak flow in litres a second."""

    fev1_l: float = Field(gt=0, lt=10)
    fvc_l: float = Field(gt=0, lt=12)
    peak_l_per_s: float = Field(gt=0, lt=20)

    @model_validator(mode="after")
    def _can_be_blown(self) -> Self:
        if not self.fev1_l < self.fvc_l:
            raise ValueError("FEV1 must be below FVC")
        if not self.peak_l_per_s > self.fev1_l:
            raise ValueError(
                "the peak flow in L/s must be above FEV1, or so much cannot be blown in a second"
            )
        return self


class Spirometry(_Picture):
    """Volume against time and flow against volume: predicted, before and after a bronchodilator."""

    kind: Literal["spirometry"] = "spirometry"
    predicted: Blow
    before: Blow
    after: Blow | None = None


class Audiogram(_Picture):
    """Hearing thresholds in dB HL by frequency in Hz; bone conduction where it was measured, masked."""

    kind: Literal["audiogram"] = "audiogram"
    right: dict[Hertz, Hearing]
    left: dict[Hertz, Hearing]
    right_bone: dict[Hertz, Hearing] = {}
    left_bone: dict[Hertz, Hearing] = {}


class GrowthChart(_Picture):
    """Measurements over age against centile lines. Points are (age in `age_unit`, value), in order."""

    kind: Literal["growth_chart"] = "growth_chart"
    measure: Literal["weight", "height"]
    unit: Literal["kg", "cm"]
    age_unit: Literal["weeks", "years"]
    points: Points
    centiles: dict[Centile, Points] = Field(max_length=12)
    """Each line's name ("2nd", "50th") to its points; approximate, and said so on the chart."""

    @model_validator(mode="after")
    def _time_goes_on(self) -> Self:
        for line in (self.points, *self.centiles.values()):
            if any(later[0] <= earlier[0] for earlier, later in pairwise(line)):
                raise ValueError("points must be in order of age, each age once")
        return self


class Electrophoresis(_Picture):
    """Serum protein fractions in g/L along the strip; `spike` is a narrow band at a place from 0 to 1."""

    kind: Literal["electrophoresis"] = "electrophoresis"
    albumin: Fraction
    alpha1: Fraction
    alpha2: Fraction
    beta: Fraction
    gamma: Fraction
    spike: tuple[Annotated[float, Field(ge=0, le=1)], Fraction] | None = None
    """Place along the strip (0 albumin's end, 1 the far end of gamma) and g/L."""


class Nomogram(_Picture):
    """A drug level in mg/L against hours since ingestion; the treatment line halves every 4 hours."""

    kind: Literal["nomogram"] = "nomogram"
    hours: float = Field(gt=0, le=24)
    level_mg_per_l: float = Field(ge=0, le=1000)
    line_at_4h_mg_per_l: float = Field(default=100, ge=10, le=500)


class Observations(_Picture):
    """An observation chart: values at each of `minutes`; `None` where nothing was measured."""

    kind: Literal["observations"] = "observations"
    minutes: Annotated[
        tuple[Annotated[int, Field(ge=0, le=100_000)], ...], Field(min_length=1, max_length=100)
    ]
    respiratory_rate: Series = ()
    oxygen_saturation: Series = ()
    systolic: Series = ()
    diastolic: Series = ()
    heart_rate: Series = ()
    temperature_c: Series = ()

    @model_validator(mode="after")
    def _as_many_as_minutes(self) -> Self:
        if any(later <= earlier for earlier, later in pairwise(self.minutes)):
            raise ValueError("minutes must rise")
        measured = {
            "respiratory_rate": self.respiratory_rate,
            "oxygen_saturation": self.oxygen_saturation,
            "systolic": self.systolic,
            "diastolic": self.diastolic,
            "heart_rate": self.heart_rate,
            "temperature_c": self.temperature_c,
        }
        for name, values in measured.items():
            if values and len(values) != len(self.minutes):
                raise ValueError(f"{name} needs one value (or null) for each of the minutes")
        if not any(measured.values()):
            raise ValueError("an observation chart needs something observed")
        return self


Held = Callable[[str], bytes | None]
"""The image files that a store holds: the bytes of one by its SHA-256, or `None`."""


class ImageFile(_Picture):
    """An image from a file, by the SHA-256 of its bytes as they are kept: without metadata, as PNG or JPEG.

    The bytes lie beside the case and in the store, never in a record: whoever opens the case says where
    (`lies_at`), and a picture that is read from a record is looked up in its store.
    """

    kind: Literal["file"] = "file"
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    media_type: Literal["image/png", "image/jpeg"]
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    _read: Callable[[], bytes | None] | None = PrivateAttr(default=None)

    @property
    def name(self) -> str:
        """The name of its file beside a case."""
        return f"{self.sha256}.{self.media_type.removeprefix('image/')}"

    def lies_at(self, read: Callable[[], bytes | None]) -> Self:
        """Say where its bytes lie: `read` returns them, or `None` or BadInput once they are gone."""
        self._read = read
        return self

    def raw(self, held: Held | None = None) -> bytes:
        """Its bytes, from where they lie or from what is `held`. Raises BadInput where they are not there."""
        for read in (self._read, held and partial(held, self.sha256)):
            try:
                result = read() if read is not None else None
            except BadInput:
                continue
            if result is not None and sha256(result).hexdigest() == self.sha256:
                return result
        raise BadInput(
            "an image of this case is not at hand",
            where=self.name,
            hint="put it into the folder `pictures` beside the case, or use the store of its run",
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ImageFile):
            return NotImplemented
        return self.__dict__ == other.__dict__  # its fields, and not where it lies

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __getstate__(self) -> dict[object, object]:
        """Its state for another process, which has to be told where the bytes lie there."""
        return {**super().__getstate__(), "__pydantic_private__": {"_read": None}}


Picture = Annotated[
    Ecg | Spirometry | Audiogram | GrowthChart | Electrophoresis | Nomogram | Observations | ImageFile,
    Field(discriminator="kind"),
]
