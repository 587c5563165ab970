"""What each key of the commands' configs may be, and the check of a config."""
