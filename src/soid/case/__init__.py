"""Projects and cases: a program with its logs, the questions, the answers, and the FACTS that they establish."""
