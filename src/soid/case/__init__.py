"""The investigation: a program, its log, the queries asked, the answers given, and the FACTS they establish."""
