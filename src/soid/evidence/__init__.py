"""Evidence that another party's expert can check without trusting us: a case as one file, and its verification."""
