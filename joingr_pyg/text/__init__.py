"""Words of questions and tables: tokens, phrases, BM25, coverage, abbreviations."""
