"""The facts and the counterfactuals: Trace, Step and Keyframe, Suppositions, and the Family of scenarios."""
