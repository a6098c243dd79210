"""The reader of LLVM's canonical text: one module for each part of the grammar, `module_reader` for the whole."""
