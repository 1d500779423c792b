"""Built-in examinees, patient and controller of a scenario, without a model."""
