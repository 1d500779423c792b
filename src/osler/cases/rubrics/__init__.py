"""Frozen rubrics: lists of statements about an examinee, published independently of any transcript.

`load` reads one as published and adds the traits of its items, by rule or from a side file; `read_all` reads
a folder and refuses nothing without a reason; `published` gives back exactly what was read.
"""
