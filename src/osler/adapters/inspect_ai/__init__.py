"""Osler's protocols as tasks of Inspect: `inspect eval osler/consultation`. Only `record` and `arranging` can
be imported without the extra `inspect`."""
