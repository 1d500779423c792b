"""Clinical encounters that can be trusted. For education and research only."""
