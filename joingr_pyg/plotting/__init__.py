"""Pictures of walks."""
