"""HOW IT IS SHOWN: transcripts, tables, pages and pictures of stored runs."""
