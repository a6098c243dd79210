"""SMT-LIB 2.6: terms written as scripts that solvers read, and scripts of others read into terms."""

from soid.formula.smtlib.printer import LOGIC, script, text

__all__ = ["LOGIC", "script", "text"]
