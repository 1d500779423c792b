"""Judging examinees against a frozen rubric: exactly its items or no score, raw completion next to net score.

`LexicalJudge` is a built-in baseline, `ModelRubricJudge` asks a language model; both return a
`RubricJudgement` with a complete set of verdicts, each with the words it is based on and their turn.
"""
