"""What happened and what might have: Trace, Step and Keyframe, Suppositions, and the Family they span."""
