"""SMT-LIB 2.6: terms written as scripts that solvers read, and scripts of others read into terms."""

from soid.formula.smtlib.printer import LOGIC, script, text
from soid.formula.smtlib.reader import Assertion, Script, read

__all__ = ["LOGIC", "Assertion", "Script", "read", "script", "text"]
