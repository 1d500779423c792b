"""Single values reported on their own, and the panels that a doctor orders to get them."""

from __future__ import annotations

from typing import Final

_COUNT: Final = ("Complete blood count", "Full blood count", "CBC", "FBC")
_CHEMISTRY: Final = ("Basic metabolic panel", "BMP", "Urea and electrolytes", "Serum chemistry")
_LIVER: Final = ("Liver function tests", "LFTs", "Liver panel")
_LIPIDS: Final = ("Lipid panel", "Lipid profile")
_CLOTTING: Final = ("Coagulation studies", "Coagulation profile", "Clotting screen")
_THYROID: Final = ("Thyroid function tests", "TFTs")

_VALUES: Final = {
    _COUNT: "hemoglobin haemoglobin hb hgb hematocrit haematocrit hct wbc rbc mcv leukocyte_count platelets "
    "platelet_count white_blood_cell_count white_blood_cells red_blood_cells differential_count leukocytes "
    "total_wbc_count neutrophils lymphocytes eosinophils wbc_count",
    _CHEMISTRY: "na sodium k potassium cl chloride hco3 bicarbonate bun urea urea_nitrogen creatinine cr "
    "glucose electrolytes serum_creatinine serum_sodium serum_potassium serum_glucose blood_urea_nitrogen",
    _LIVER: "ast alt alp alkaline_phosphatase bilirubin total_bilirubin bilirubin_total direct_bilirubin "
    "bilirubin_direct albumin ggt liver_enzymes",
    _LIPIDS: "total_cholesterol cholesterol ldl hdl triglycerides",
    _CLOTTING: "pt inr ptt aptt prothrombin_time partial_thromboplastin_time fibrinogen bleeding_time",
    _THYROID: "tsh free_t4 t4 t3 free_t3",
}
_PANEL_OF: Final = {value: panel for panel, values in _VALUES.items() for value in values.split()}
_IN_FULL: Final = {
    "na": "Sodium", "k": "Potassium", "cl": "Chloride", "hco3": "Bicarbonate", "bun": "Blood urea nitrogen",
    "cr": "Creatinine", "ca": "Calcium", "mg": "Magnesium", "glu": "Glucose", "hb": "Haemoglobin",
    "esr": "Erythrocyte sedimentation rate", "crp": "C-reactive protein", "ldh": "Lactate dehydrogenase",
}  # fmt: skip


def panel_names(name: str) -> tuple[str, ...]:
    """What else a value may be ordered by: its name in full, and the panels it belongs to."""
    key = name.lower().replace(" ", "_")
    in_full = (_IN_FULL[key],) if key in _IN_FULL else ()
    return in_full + _PANEL_OF.get(key, ())
