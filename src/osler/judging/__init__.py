"""How episodes are scored: the engine of model judges, rubrics, and the matching of diagnoses."""
