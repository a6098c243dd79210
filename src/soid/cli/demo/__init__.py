"""`soid demo`: an example's story, performed."""
