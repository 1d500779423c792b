"""Station papers of different styles, written for these tests, and writers for Word, PDF and Excel.

A paper is a list of blocks: ("h1" | "h2" | "b" | "p" | "li", text) or ("table", rows). "b" is a bold line.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from openpyxl import Workbook  # type: ignore[import-untyped]

from tests.authoring.scenarios.source import OFFICE, PACKAGE, WORD, write_pdf

Block = tuple[str, Any]
Paper = Sequence[Block]

CHEST_PAIN: Paper = (
    ("h1", "Station 4: Chest pain"),
    ("h2", "Candidate instructions"),
    ("p", "You are a foundation doctor in the emergency department."),
    ("p", "Mr Alan Pryce, aged 58, has come with chest pain. His observations have been taken by the nurse."),
    ("li", "Take a focused history."),
    ("li", "Ask for the examination findings and tests that you want."),
    ("li", "Tell Mr Pryce what you think is wrong and what will happen next."),
    ("p", "You have 8 minutes."),
    ("h2", "Actor brief"),
    ("p", "You are Alan Pryce, a 58-year-old bus driver. You are frightened but try not to show it."),
    ("p", 'Opening line: "I\'ve got this awful tightness in my chest."'),
    ("b", "If asked"),
    ("li", "The pain started an hour ago while you were carrying shopping upstairs."),
    ("li", "It is in the middle of your chest and goes down your left arm."),
    ("li", "You feel sick and you have been sweating."),
    ("li", "You have high blood pressure and take amlodipine 5 mg once a day."),
    ("li", "You have no allergies."),
    ("li", "You smoke 15 cigarettes a day. You drink two pints of beer at weekends."),
    ("li", "Your father died of a heart attack at 60."),
    ("li", "You are worried that you are going to die like your father."),
    ("h2", "Findings"),
    (
        "p",
        "Heart rate 104/min, blood pressure 152/94 mmHg, respiratory rate 20/min, saturations 95 % on air, temperature 36.8 °C.",
    ),
    ("p", "Examination: Heart sounds normal, chest clear, no ankle swelling."),
    ("p", "ECG: ST elevation of 3 mm in leads II, III and aVF."),
    ("p", "Troponin: 34 ng/L (normal below 14)."),
    ("p", "Chest X-ray: normal."),
    ("h2", "Mark scheme"),
    ("li", "Introduces self and confirms the patient's name (1)"),
    ("li", "Asks about site, onset and radiation of the pain (3)"),
    ("li", "Asks about sweating and nausea (1)"),
    ("li", "Asks about smoking (1)"),
    ("li", "Asks about family history of heart disease (1)"),
    ("li", "Asks about allergies (1)"),
    ("li", "Requests an ECG (2)"),
    ("li", "Gives aspirin 300 mg (2) (critical)"),
    ("li", "Gives oxygen only to keep saturations 94-98 % (1)"),
    ("li", "Refers urgently to cardiology for primary PCI (2)"),
    ("li", "Explains the diagnosis of a heart attack in plain words (2)"),
    ("li", "Responds with empathy to the patient's fear (1)"),
    ("p", "Total: 18"),
    ("h2", "Learning points"),
    ("li", "An inferior infarct can present with nausea. A right-sided ECG is worth doing."),
)

ASTHMA: Paper = (
    ("b", "ACUTE ASTHMA IN THE RESUSCITATION ROOM"),
    ("b", "Equipment"),
    ("p", "Manikin, oxygen mask, nebuliser, peak flow meter, monitor."),
    ("b", "Background"),
    (
        "p",
        "You are the doctor in resus. Leah Okafor, a 22-year-old student, has been brought in by ambulance with difficulty in breathing. A nurse is with you. Assess and treat her.",
    ),
    ("b", "Simulated patient"),
    ("p", "You can speak only in short phrases. You are exhausted."),
    ("p", "You have had asthma since you were 5. You were in intensive care with it two years ago."),
    (
        "p",
        "You ran out of your brown inhaler three weeks ago. You have used the blue one eight times since last night.",
    ),
    ("p", "You came out in a rash with penicillin."),
    ("p", "If asked about smoking: you vape every day."),
    ("b", "Results"),
    (
        "table",
        (
            ("Test", "Result"),
            ("Observations", "RR 32, HR 128, BP 118/70, SpO2 90% on air, temp 37.1 °C"),
            ("Peak flow", "140 L/min (best 420)"),
            ("Chest auscultation", "Widespread wheeze, poor air entry on both sides"),
            ("Arterial blood gas", "pH 7.44, pCO2 4.1 kPa, pO2 8.2 kPa"),
            ("Chest X-ray", "Hyperinflated, no pneumothorax"),
        ),
    ),
    ("b", "Progression"),
    ("p", "If no salbutamol is given within 5 minutes she becomes drowsy: RR 14, SpO2 84 %, silent chest."),
    ("p", "If oxygen and salbutamol are given, she improves: RR 24, SpO2 96 %."),
    ("b", "Marking"),
    (
        "table",
        (
            ("No", "Item", "Marks", "Critical"),
            ("1", "Sits the patient up", "1", ""),
            ("2", "Gives high-flow oxygen, aiming for saturations of 94-98%", "2", "yes"),
            ("3", "Gives nebulised salbutamol 5 mg", "2", "yes"),
            ("4", "Gives ipratropium 500 micrograms by nebuliser", "1", ""),
            ("5", "Gives prednisolone 40 mg or hydrocortisone 100 mg IV", "2", ""),
            ("6", "Measures the peak flow", "1", ""),
            ("7", "Listens to the chest", "1", ""),
            ("8", "Asks about previous admissions to intensive care", "1", ""),
            ("9", "Asks about allergies", "1", ""),
            ("10", "Calls for senior help", "2", "yes"),
            ("11", "Closed-loop communication with the nurse", "1", ""),
            ("", "Total", "15", ""),
        ),
    ),
)

CONSENT = (
    "OSCE STATION 11 - CONSENT FOR GASTROSCOPY",
    "Time allowed: 10 minutes",
    "",
    "INSTRUCTIONS TO CANDIDATE",
    "You are the house officer on a surgical ward. Mrs Joan Bright, 67, is due to have a",
    "gastroscopy this afternoon because of anaemia. Please explain the procedure to her",
    "and answer her questions. You need not fill in the form.",
    "",
    "INSTRUCTIONS TO PATIENT",
    "You are Mrs Joan Bright, 67, a retired seamstress. You know that you are anaemic but",
    "nobody has told you what a gastroscopy is.",
    "- You take apixaban for an irregular heart beat.",
    "- You live with your husband, who can drive you home.",
    "- You have a loose front tooth. Mention it only if you are asked about teeth.",
    "- You are worried that you will choke.",
    '- Ask: "Will I be put to sleep?"',
    "",
    "MARKING SHEET",
    "1. Introduces himself or herself and states role [1]",
    "2. Checks what the patient already knows [1]",
    "3. Explains that a thin camera is passed through the mouth into the stomach [2]",
    "4. Explains the options of throat spray and sedation [2]",
    "5. Mentions risks: bleeding, perforation, sore throat [3]",
    "6. Asks about anticoagulants [2]",
    "7. Asks about dentures or loose teeth [1]",
    "8. Explores the patient's concerns [1]",
    "9. Says that she may change her mind at any time [1]",
    "10. Checks understanding [1]",
    "11. Invites questions [1]",
    "12. Avoids jargon [1]",
    "Examiner's global rating: clear fail / borderline / clear pass",
)

BAD_NEWS: Paper = (
    ("h1", "Breaking bad news - lung shadow"),
    ("h2", "Door note"),
    (
        "p",
        "Mrs Ruth Adeyemi, 71, has come back to the chest clinic for the result of the CT scan that she had last week. The CT shows a mass in the right lung that is very likely to be cancer. You are the registrar. Give her the result and agree on what happens next. You do not need to take a history.",
    ),
    ("h2", "Patient brief"),
    (
        "p",
        "You are Ruth Adeyemi, 71, a widow. You were a primary school head. You have had a cough for three months and you have lost weight. You came alone; your daughter Grace is in the waiting room.",
    ),
    ("p", "You think that it is an infection. You want to know everything, but slowly."),
    ("p", 'When you are told, fall silent and look down. If the doctor gives you time, ask: "Is it cancer?"'),
    (
        "p",
        "Only if asked whether anything else worries you: you look after your grandson and fear that nobody else will.",
    ),
    ("p", "You stopped smoking twenty years ago. You do not drink."),
    ("h2", "Examiner instructions"),
    ("p", "Watch for pauses. Do not prompt."),
    ("h2", "Assessment"),
    ("li", "Introduces themselves and their role - 1 mark"),
    ("li", "Finds out what the patient knows already - 1 mark"),
    ("li", "Asks how much she wants to know - 1 mark"),
    ("li", "Offers to have her daughter with her - 1 mark"),
    ("li", "Gives a warning shot - 1 mark"),
    ("li", "Says plainly that it is likely to be cancer - 2 marks"),
    ("li", "Pauses and lets her speak - 1 mark"),
    ("li", "Acknowledges her distress - 1 mark"),
    ("li", "Explains that a biopsy is needed - 1 mark"),
    ("li", "Offers contact with the lung cancer nurse - 1 mark"),
    ("li", "Arranges follow-up - 1 mark"),
    ("li", "Does not give false hope - 1 mark"),
    ("h2", "Debrief"),
    ("p", "Silence is an act. Most candidates talk too early."),
)

FEVER_SHEETS = {
    "Instructions to candidate": (
        ("You are a GP registrar. Priya Nair has brought her son Arjun, aged 3 years, because of fever.",),
        ("Take a history from the mother, ask for the findings, and give her advice.",),
    ),
    "Mother's brief": (
        ("Topic", "What to say"),
        ("Opening statement", "He's been burning up since yesterday."),
        ("Onset", "The fever began yesterday morning, up to 39.4."),
        ("Associated symptoms", "He has a runny nose and a cough. No rash. No fits."),
        ("Fluids", "He is drinking less but has had four wet nappies today."),
        ("Past history", "Born at term, no illnesses."),
        ("Immunisations", "Up to date."),
        ("Medicines", "I gave him paracetamol this morning."),
        ("Allergies", "None known."),
        ("Contacts", "His sister had a cold last week."),
        ("Concerns", "I'm afraid it is meningitis."),
    ),
    "Findings": (
        ("Examination", "Finding"),
        ("Temperature", "38.9 °C"),
        ("Heart rate", "132/min"),
        ("Respiratory rate", "28/min"),
        ("Capillary refill", "2 seconds"),
        ("Ears", "Both drums pink, not bulging"),
        ("Throat", "Red, no exudate"),
        ("Chest", "Clear"),
        ("Skin", "No rash"),
    ),
    "Checklist": (
        ("History", "Done", "Not done", "Marks"),
        ("Asks how long the fever has lasted", "", "", 1),
        ("Asks about rash", "", "", 1),
        ("Asks about fluid intake and wet nappies", "", "", 2),
        ("Asks about fits", "", "", 1),
        ("Asks about immunisations", "", "", 1),
        ("Asks about contact with illness", "", "", 1),
        ("Examination", "", "", ""),
        ("Checks capillary refill", "", "", 1),
        ("Looks for a rash", "", "", 1),
        ("Management", "", "", ""),
        ("Advises paracetamol or ibuprofen for distress", "", "", 1),
        ("Advises plenty of fluids", "", "", 1),
        ("Tells the mother when to come back: rash that does not fade, drowsiness, not drinking", "", "", 3),
        ("Addresses the mother's fear of meningitis", "", "", 1),
        ("Total", "", "", 15),
    ),
}

US_CASE: Paper = (
    ("h1", "SP Case 12"),
    ("h2", "Doorway Information"),
    (
        "p",
        "Opening scenario: Maria Lopez, a 45-year-old female, comes to the clinic complaining of abdominal pain.",
    ),
    ("p", "Vital signs: BP: 128/82 mm Hg, Temp: 100.9°F (38.3°C), RR: 18/min, HR: 98/min"),
    ("p", "Examinee tasks:"),
    ("li", "Take a focused history."),
    ("li", "Perform a focused physical examination. Do not perform rectal, pelvic or breast examination."),
    ("li", "Discuss your impression and plan with the patient."),
    ("h2", "Standardized patient training notes"),
    (
        "table",
        (
            ("Chief complaint", '"I have this terrible pain in my belly."'),
            ("Onset", "Last night after dinner (fried chicken)"),
            ("Location", "Right upper abdomen"),
            ("Radiation", "To the right shoulder"),
            ("Intensity", "8/10"),
            ("Aggravating factors", "Eating, deep breaths"),
            ("Alleviating factors", "None"),
            ("Associated symptoms", "Nausea, vomited twice. No diarrhea."),
            ("PMH", "Obesity, type 2 diabetes"),
            ("Medications", "Metformin"),
            ("Allergies", "Sulfa drugs - hives"),
            ("PSH", "C-section 15 years ago"),
            ("FH", "Mother had gallstones"),
            ("SH", "Married, cashier. No tobacco, no alcohol."),
            ("LMP", "Two weeks ago, regular"),
            ("Challenging question", '"Do I need surgery?"'),
        ),
    ),
    ("h2", "Physical exam findings"),
    ("li", "Abdomen: tender in the right upper quadrant, positive Murphy sign, no rebound"),
    ("li", "Heart: regular rate and rhythm"),
    ("li", "Lungs: clear bilaterally"),
    ("h2", "Test results"),
    ("li", "WBC 14.2 x10^9/L"),
    ("li", "Lipase: 40 U/L"),
    ("li", "Abdominal ultrasound: gallstones, wall thickened to 6 mm"),
    ("h2", "Checklist"),
    (
        "table",
        (
            ("History", "Yes", "No"),
            ("Examinee asked about the onset of pain", "", ""),
            ("Examinee asked about relation to food", "", ""),
            ("Examinee asked about nausea or vomiting", "", ""),
            ("Examinee asked about last menstrual period", "", ""),
            ("Examinee asked about allergies", "", ""),
            ("Physical examination", "", ""),
            ("Examinee washed hands", "", ""),
            ("Examinee palpated the abdomen", "", ""),
            ("Examinee checked for Murphy sign", "", ""),
            ("Communication", "", ""),
            ("Examinee knocked before entering", "", ""),
            ("Examinee used open-ended questions", "", ""),
            ("Examinee discussed the initial impression of cholecystitis", "", ""),
            ("Examinee ordered an abdominal ultrasound", "", ""),
            ("Examinee showed interest in the patient as a person", "", ""),
        ),
    ),
)


def write_word(path: Path, paper: Paper) -> Path:
    """A Word file of a paper, with headings, bold lines, bullets and tables."""
    body = "".join(_block(*block) for block in paper)
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    numbering = OFFICE.replace("officeDocument", "numbering").replace("numbering/2006", "officeDocument/2006")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="{relations}"/>'
            f'<Override PartName="/word/document.xml" ContentType="{types}.document.main+xml"/>'
            f'<Override PartName="/word/numbering.xml" ContentType="{types}.numbering+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{numbering}" '
            'Target="numbering.xml"/></Relationships>',
        )
        archive.writestr(
            "word/numbering.xml",
            f'<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0">'
            '<w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1">'
            '<w:abstractNumId w:val="0"/></w:num></w:numbering>',
        )
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        )
    return path


def _block(kind: str, held: Any) -> str:
    if kind == "table":
        rows = "".join(
            f"<w:tr>{''.join(f'<w:tc>{_paragraph(cell)}</w:tc>' for cell in row)}</w:tr>" for row in held
        )
        return f"<w:tbl>{rows}</w:tbl>"
    about = {
        "h1": '<w:pStyle w:val="Heading1"/>',
        "h2": '<w:pStyle w:val="Heading2"/>',
        "li": '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>',
    }.get(kind, "")
    return _paragraph(held, about, "<w:b/>" if kind == "b" else "")


def _paragraph(text: str, about: str = "", run: str = "") -> str:
    return (
        f"<w:p>{f'<w:pPr>{about}</w:pPr>' if about else ''}<w:r>{f'<w:rPr>{run}</w:rPr>' if run else ''}"
        f'<w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'
    )


def write_excel(path: Path, sheets: Mapping[str, Sequence[Sequence[object]]]) -> Path:
    """An Excel file with a sheet for each name."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def write_paper(path: Path, lines: Sequence[str]) -> Path:
    """A PDF file of lines."""
    write_pdf(path, tuple(lines))
    return path


AUSTRALIAN: Paper = (
    ("h1", "AMC practice case - Dizzy spells"),
    ("h2", "Stem"),
    (
        "p",
        "You are a GP in a country town. Bill Henderson, a 74-year-old retired shearer, has come because he has had dizzy spells for two weeks. His wife drove him in.",
    ),
    ("b", "Your tasks"),
    ("li", "Take a relevant history (4 minutes)."),
    ("li", "Ask the examiner for the findings you want."),
    ("li", "Tell Bill the likely cause and your plan."),
    ("h2", "Role-player's information"),
    (
        "p",
        "You are Bill, 74. You get dizzy when you stand up, mostly in the mornings. Nothing spins. You fell in the shed on Tuesday and grazed your elbow.",
    ),
    (
        "p",
        "Four weeks ago another doctor put you on perindopril. You also take hydrochlorothiazide and tamsulosin.",
    ),
    ("p", "You have never passed out. No chest pain. No palpitations."),
    ("p", "You have a couple of stubbies every night; admit to six only if the doctor asks without judging."),
    ("p", "You are irritated about having to come."),
    ("p", 'Say: "Is it a stroke coming on, doc?"'),
    ("h2", "Examination findings (give only if asked)"),
    ("li", "BP lying 142/80, standing 108/64; pulse 76 regular; temp 36.5; SpO2 97% RA"),
    ("li", "Neurological exam - no focal signs, gait steady"),
    ("li", "ECG - sinus rhythm"),
    ("li", "BSL 5.8 mmol/L"),
    ("h2", "Key issues"),
    ("li", "Asks what he means by dizziness"),
    ("li", "Asks about falls and injuries"),
    ("li", "Takes a full medication history"),
    ("li", "Asks about alcohol"),
    ("li", "Measures lying and standing blood pressure (critical)"),
    ("li", "Requests an ECG"),
    ("li", "Explains postural hypotension due to tablets"),
    ("li", "Stops or reduces the diuretic"),
    ("li", "Advises standing up slowly"),
    ("li", "Arranges review in one week"),
    ("h2", "Critical errors"),
    ("li", "Starts an additional blood pressure tablet"),
    ("li", "Does not ask about medicines"),
)

INDIAN = (
    "OSCE STATION NO. 7",
    "Department of Paediatrics",
    "Time: 5 minutes   Total marks: 10",
    "",
    "Question for the candidate:",
    "Sunita, mother of a 10 month old girl Meena, has come to the OPD. The child has had loose",
    "stools for 2 days. Counsel the mother regarding ORS and home care.",
    "",
    "Instructions to simulated mother:",
    "You are Sunita. You work in the fields.",
    "If asked about stools: six to seven times a day, watery, no blood.",
    "If asked about vomiting: twice yesterday.",
    "If asked about feeding: she is breastfed and takes dal water, you stopped the dal water.",
    "If asked about urine: she passed urine three hours ago.",
    "You have heard that children with loose motions should not drink.",
    "",
    "Observed findings:",
    "Temp 37.2 C, HR 130/min, RR 34/min. Alert. Eyes not sunken. Skin pinch goes back immediately.",
    "",
    "MARKING SCHEME",
    "1) Greets the mother and introduces herself/himself 1",
    "2) Asks about number of stools and blood in stools 1",
    "3) Asks about vomiting 1/2 mark",
    "4) Asks about feeding and urine output 1 mark",
    "5) Explains how to prepare ORS in one litre of clean water 2 marks",
    "6) Tells to give ORS after each loose stool with spoon 1 mark",
    "7) Advises to continue breast feeding 1 mark",
    "8) Advises zinc 20 mg for 14 days 1 mark",
    "9) Tells danger signs when to return immediately 1 mark",
    "10) Asks mother to repeat what was told 1/2 mark",
)


def write_stations(folder: Path) -> dict[str, Path]:
    """A folder for each of the eight stations, by name."""
    written = {
        name: folder / name for name in ("chest", "asthma", "consent", "news", "fever", "us", "aus", "ind")
    }
    for place in written.values():
        place.mkdir(parents=True)
    write_word(written["chest"] / "station.docx", CHEST_PAIN)
    write_word(written["asthma"] / "station.docx", ASTHMA)
    write_paper(written["consent"] / "station.pdf", CONSENT)
    write_word(written["news"] / "station.docx", BAD_NEWS)
    write_excel(written["fever"] / "station.xlsx", FEVER_SHEETS)
    write_word(written["us"] / "station.docx", US_CASE)
    write_word(written["aus"] / "station.docx", AUSTRALIAN)
    write_paper(written["ind"] / "station.pdf", INDIAN)
    return written
