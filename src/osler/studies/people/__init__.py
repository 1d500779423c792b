"""People beside models: sittings of people held against models that met the same worlds."""
