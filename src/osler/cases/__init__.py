"""The truth: the case model, sources, importers, the library, personas, scenarios and rubrics."""
