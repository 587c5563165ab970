"""Training: the Lightning module, losses, validation, restarts, many processes, trackers."""
