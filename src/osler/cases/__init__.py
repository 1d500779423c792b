"""What is true: the case model, sources and importers, the library, personas, scenarios and rubrics."""
