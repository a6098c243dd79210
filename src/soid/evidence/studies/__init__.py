"""Studies on a record (causes, maps, explanations), each examined anew from its request and its result."""
