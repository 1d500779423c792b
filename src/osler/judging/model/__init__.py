"""Model judges: a language model scores an episode item by item, and our code decides what counts.

`ManagerJudge` scores an episode, `DiagnosisJudge` compares one answer with a reference, `check_independent`
keeps the judge independent of the judged. A set of verdicts is complete or rejected, every credit quotes the
trace, and the judged text is data, never an instruction.
"""
