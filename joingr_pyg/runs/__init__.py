"""What finished runs leave in their folders: reading, writing and comparing it."""
