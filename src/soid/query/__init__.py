"""The questions: did, would or might, the Behavior asked about, and the suppositions."""
