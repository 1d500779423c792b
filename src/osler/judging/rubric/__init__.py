"""Examinees judged against a frozen rubric: the exact items or no score, plain beside net.

`LexicalJudge` is a built-in baseline, `ModelRubricJudge` asks a language model; both give a `RubricJudgement`
whose verdicts are a complete set, each with the words it rests on and the turn they were said in.
"""
