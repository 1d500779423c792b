"""The modality of a file by its name: text, picture, sound, film, slides and so on."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final, Literal, get_args

Modality = Literal[
    "text", "image", "audio", "video", "slides", "spreadsheet", "archive", "executable", "other"
]
MODALITIES: Final[tuple[Modality, ...]] = get_args(Modality)
_SUFFIXES: Final[dict[Modality, str]] = {
    "text": ".docx .doc .dot .rtf .odt .pages .pdf .md .markdown .txt .json .yaml .yml .xml .html .htm",
    "image": ".png .jpg .jpeg .gif .bmp .tif .tiff .webp .svg .heic .dcm .ai .eps .psd",
    "audio": ".mp3 .wav .m4a .aac .ogg .oga .flac .wma .aif .aiff",
    "video": ".mp4 .m4v .mov .avi .wmv .mkv .webm .mpg .mpeg .flv",
    "slides": ".pptx .ppt .odp .key .pps .ppsx",
    "spreadsheet": ".xlsx .xls .ods .csv .tsv",
    "archive": ".zip .rar .7z .tar .gz .tgz .bz2 .xz .iso",
    "executable": ".exe .msi .bat .cmd .com .scr .ps1 .sh .jar .app .dmg .apk .swf .js .vbs .py .xlsm .docm "
    ".pptm .dll",
}
_MODALITY: Final[dict[str, Modality]] = {
    suffix: modality for modality, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}


def modality_of(name: str) -> Modality:
    """The modality of a file; one without a suffix is taken for text."""
    suffix = PurePosixPath(name).suffix.lower()
    return _MODALITY.get(suffix, "text" if not suffix else "other")
