"""The questions: did, would or might, a Family, and the Behavior asked about."""
