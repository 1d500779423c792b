"""What models are told: packaged files, versioned by hash."""
