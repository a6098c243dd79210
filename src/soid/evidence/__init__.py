"""What the other side's expert can check without trusting us: a case as one file, and how to take it apart."""
