"""Built-in doctors, examination service and consultant of a consultation, without a model."""
