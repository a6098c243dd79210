"""The reader of LLVM's canonical text, one part of the grammar a module. `soid.engine.llvm.read` is its door."""
