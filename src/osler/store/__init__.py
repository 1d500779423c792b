"""The store of runs: one schema on SQLite and PostgreSQL, leases between processes, canonical exports."""
