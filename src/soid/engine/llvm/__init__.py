"""The C engine: source files to LLVM IR (`compile`), IR as data (`ir`), C's names and types (`debuginfo`)."""
