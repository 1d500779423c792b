"""Studies: questions put to many runs at once, as configuration files; `osler study list` names ours."""
