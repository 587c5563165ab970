"""From schemas and encoders to join graphs: descriptors, graphs of databases, the corpus of all of them, questions."""
