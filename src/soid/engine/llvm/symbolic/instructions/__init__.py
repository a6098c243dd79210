"""One function for each LLVM instruction, and the table that chooses it."""
