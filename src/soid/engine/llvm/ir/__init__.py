"""LLVM IR as frozen records, and facts derived from them: sizes, constant images, names."""
