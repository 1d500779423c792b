"""HOW IT IS JUDGED: scores, rubrics, diagnoses, and judges that ask a model, for any protocol."""
