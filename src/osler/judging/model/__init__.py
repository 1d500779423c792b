"""Model judges: a language model scores an episode item by item, and our code decides what of it counts.

`ManagerJudge` scores an episode, `DiagnosisJudge` compares one answer with a reference, `check_independent`
keeps the judge apart from the judged. A verdict set is complete or there is none, every credit quotes the
trace, and what was judged is data, whatever it says.
"""
