"""Compiled code: the hot loops of the walk, of word and phrase matches and of JoinGR+. Imported only where numba is."""
