"""The scoring of episodes: the engine of model judges, rubrics, and the matching of diagnoses."""
