"""Model judges: a language model judges item by item, and our code decides what counts.

`engine` asks and settles for every one of them, `DiagnosisJudge` compares one answer with a reference, and
`check_independent` keeps the judge independent of the judged. A set of verdicts is complete or rejected,
every credit quotes the trace, and the judged text is data, never an instruction.
"""
