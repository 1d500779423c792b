"""Writers of a data set: Parquet, ShareGPT, our own lines; the data card, its description as Croissant."""
