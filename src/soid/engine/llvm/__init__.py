"""The engine for C and C++: it compiles a program to LLVM IR, finds its variables, and explores its paths.

`compiler/` makes one LLVM module of source files, `reader/` reads its text into the records of `ir/`, `debug/` has the
source's names and types. `variables/` finds the interface, with the points-to analysis in `flow/`. `symbolic/` executes
the program. `llvm_engine.py` is the engine itself.
"""
