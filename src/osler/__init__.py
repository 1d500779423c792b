"""Clinical encounters that can be trusted. For education and research only."""

__version__ = "0.1.0"
