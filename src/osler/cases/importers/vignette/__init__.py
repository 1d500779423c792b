"""A prose vignette as a case: each clause goes to one seat, or to nobody, and code proves that none is lost.

`clauses` cuts the text, `roles` says whose each clause is, `orderable` what a result is called, `question`
what is asked; `pieces` puts clauses with one holder together and holds them to the source, and `case` makes
the case.
"""
