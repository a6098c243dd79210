"""From source files to one LLVM module and to shared objects."""
