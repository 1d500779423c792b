"""A small original source as teachers keep them: a Word brief, actor's notes as PDF, a checklist in Excel.

A nurse-led headache clinic: a woman with migraine who has come to take painkillers on most days. Medicine
after the International Classification of Headache Disorders, 3rd edition (2018), and NICE guideline CG150,
Headaches in over 12s (2012, updated 2021). Written for these tests.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

from openpyxl import Workbook  # type: ignore[import-untyped]
from openpyxl.styles import Font  # type: ignore[import-untyped]

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
STRUCK = "The old version of this station lasted 30 minutes."

# (style, text, struck through)
BRIEF = (
    ("Heading1", "Headache clinic", False),
    (
        "",
        "A station of 12 minutes for nurses in training. Setting: nurse-led clinic, general practice.",
        False,
    ),
    ("", STRUCK, True),
    ("Heading2", "Information for the learner", False),
    (
        "",
        "You are the nurse. Next is Maya Lind, a 34-year-old woman, who asked for a stronger painkiller.",
        False,
    ),
    ("", "Take a history, tell her what you think, and agree on a plan.", False),
    ("Heading2", "Course", False),
    ("", "Diagnosis: medication-overuse headache on top of migraine without aura.", False),
    (
        "",
        "Observations when measured: BP 118/74, HR 72, temperature 36.6 °C. Neurological examination normal.",
        False,
    ),
    (
        "",
        "If the learner asks for a headache diary, she has one: headache on 24 days of the last month.",
        False,
    ),
)
NOTES = (
    "Notes for the actor",
    "You are Maya Lind, 34 years old, a florist. You are tired and a little impatient.",
    'First words: "I just need something stronger for my head."',
    "For half a year you have had a dull headache on most days; before that, migraine since school.",
    "Only if asked: you take a tablet of codeine with paracetamol on about 20 days a month.",
    "No fever, no stiff neck, no weakness, no loss of vision, no head injury.",
    "You fear a brain tumour, because your aunt Rosa had one. You say so only if asked what you fear.",
)
CHECKLIST = (
    ("Item", "Done", "Domain"),
    ("Introduces themselves by name and role", "", "ICS"),
    ("Asks on how many days a month she takes painkillers", "", "PC"),
    ("Asks about fever, neck stiffness, weakness and loss of vision*", "", "PC"),
    ("Asks what she fears", "", "ICS"),
    ("Explains that frequent painkillers can themselves cause headache", "", "MK"),
    ("Agrees with her on stopping the codeine tablets, and says that the first weeks may be worse", "", "PC"),
    ("Offers a date for follow-up", "", "SBP"),
    ("Total", "7", ""),
)
OLD_ITEM = "Orders a CT scan of the head"
ITEMS = tuple(row[0] for row in CHECKLIST[1:-1])


def write_source(folder: Path) -> Path:
    """The source in a folder: three documents and a picture."""
    folder.mkdir(parents=True, exist_ok=True)
    write_docx(folder / "brief and course.docx", BRIEF)
    write_pdf(folder / "actor notes.pdf", NOTES)
    write_xlsx(folder / "checklist.xlsx", CHECKLIST, struck=OLD_ITEM)
    (folder / "clinic room.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    return folder


def write_sorted(folder: Path) -> Path:
    """The same case, sorted by its teachers into role folders as text."""
    files = {
        "examinee/brief.md": "\n\n".join(text for _, text, _ in BRIEF[4:6]),
        "sp_actor/notes.txt": "\n".join(NOTES),
        "environment_controller/course.md": "\n\n".join(text for _, text, _ in BRIEF[7:]),
        "evaluator/checklist.md": "# Checklist\n\n" + "\n".join(f"- [ ] {item}" for item in ITEMS),
    }
    for name, text in files.items():
        path = folder / "scenario1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    return folder


def write_docx(path: Path, paragraphs: tuple[tuple[str, str, bool], ...]) -> None:
    """The least that is a Word document."""
    body = "".join(
        f"<w:p>{f'<w:pPr><w:pStyle w:val={chr(34)}{style}{chr(34)}/></w:pPr>' if style else ''}<w:r><w:rPr>"
        f'{"<w:strike/>" if struck else ""}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'
        for style, text, struck in paragraphs
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="{relations}"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        )


def write_pdf(path: Path, lines: tuple[str, ...]) -> None:
    """A page of text in the least that is a PDF."""
    shown = (line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in lines)
    content = "BT /F1 10 Tf 14 TL 40 800 Td " + " ".join(f"({line}) Tj T*" for line in shown) + " ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    written, places = "%PDF-1.4\n", []
    for number, held in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{held}\nendobj\n"
    end = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    written += "".join(f"{place:010} 00000 n \n" for place in places)
    written += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{end}\n%%EOF\n"
    path.write_bytes(written.encode("latin-1"))


def write_xlsx(path: Path, rows: tuple[tuple[str, ...], ...], struck: str) -> None:
    """A sheet, with one row more that is struck through."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Checklist"
    for row in (*rows, (struck, "", "PC")):
        sheet.append(row)
    sheet.cell(len(rows) + 1, 1).font = Font(strike=True)
    book.save(path)
