"""Authoring standardized-patient scenarios from source material, step by step; each step's result is a file.

`inventory` and `converting` read a folder; `triage`, `packets` and `items` make scenarios of it; `audit`
looks for leaks and contradictions; `reviewing` is for two clinicians; `pipeline` runs whatever has changed.
"""
