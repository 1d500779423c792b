"""Frozen rubrics: lists of statements about an examinee, published apart from any transcript.

`load` reads one as it was published and adds what the rules or a side file say of its items; `read_all` reads
a folder and refuses nothing without a reason; `published` gives back exactly what was read.
"""
