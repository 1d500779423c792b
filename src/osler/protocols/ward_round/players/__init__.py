"""Built-in tutors, students, reviewers, patient and expert of a ward round, without a model."""
