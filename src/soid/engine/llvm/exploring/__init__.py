"""Running a program over states: concrete numbers stay numbers, what varies becomes terms, branches fork paths."""
