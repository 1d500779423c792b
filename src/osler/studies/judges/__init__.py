"""Several judges of the same stored episodes: their agreement, the headline under each, and their jury."""
