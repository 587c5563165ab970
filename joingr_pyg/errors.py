"""The one exception type that a person sees as a single sentence."""


class JoinGRError(ValueError):
    """Bad input, told in one sentence: what was wrong, where, and what to do.

    The entry points print the message and exit with status 2; library callers may catch it.
    """
