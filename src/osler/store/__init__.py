"""WHERE IT IS KEPT: runs, episodes and judgements in one database, shared by several processes."""
