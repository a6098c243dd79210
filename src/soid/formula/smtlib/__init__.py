"""SMT-LIB 2.6: writes terms as scripts for solvers, and reads scripts into terms."""

from soid.formula.smtlib.script_reader import Assertion, SmtLibScript, read
from soid.formula.smtlib.script_writer import LOGIC, script, text

__all__ = ["LOGIC", "Assertion", "SmtLibScript", "read", "script", "text"]
