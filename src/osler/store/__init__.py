"""Where it is kept: one schema on SQLite and PostgreSQL, leases between processes, canonical exports."""
