"""Importing a prose vignette: each clause goes to one seat or is withheld, and code proves that none is lost.

`clauses` splits the text, `roles` assigns each clause, `orderable` names a result, `question` reads what is
asked; `pieces` joins clauses with the same holder and checks them against the source, and `case` builds the
case.
"""
