"""Names of tables and columns: readable forms, expansion of abbreviations, cryptic names, glossaries."""
