"""Reading the files of an SMT-LIB program into paths over the interface's symbols.

The symbol of a variable is its bits; a script may use the bits (KLEE does) or the value that they represent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as File

from soid.engine.smtlib.given_endings import ending_beside, parse_ending
from soid.engine.smtlib.path_formula import take_apart
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.engine.summary import Decided, Ending, OutputValue, Path
from soid.errors import ManifestError, ProgramError, SmtLibError
from soid.formula import build
from soid.formula.passes import free_variables, substitute
from soid.formula.smtlib.script_reader import Assertion, SmtLibScript, read
from soid.formula.sorts import BitVec, Bool, Float, Sort
from soid.formula.term import Term
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, FloatType, reading


def load(interface: Interface, source: SmtLibSource) -> list[Path]:
    """Every path of every file; conditions and outputs are over all inputs' symbols."""
    paths = [path for file in source.files for path in _load_file(file, interface, source)]
    names = [path.name for path in paths]
    for name in source.endings:
        if name not in names:
            raise ManifestError(
                f"[endings] speaks of a path {name}, and there is none", f"The paths are {', '.join(names)}."
            )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProgramError(f"two paths are called {twice}", "Give each file, or each named assertion, its own name.")
    return paths


def _load_file(file: File, interface: Interface, source: SmtLibSource) -> list[Path]:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SmtLibError(f"{file.name}: byte {error.start} is not UTF-8", "Give SMT-LIB as text.") from None
    except OSError as error:
        reason = error.strerror or error
        raise ProgramError(f"{file.name} cannot be read: {reason}", "Check the file that soid.toml names.") from error
    names = _Names(interface, source.names, file.name)
    script = read(text, source=file.name, array_bytes=names.array_bytes())
    named = [statement for statement in script.statements if statement.name is not None]
    shared = [statement for statement in script.statements if statement.name is None]
    beside = ending_beside(file) or Decided()
    if not named:
        return [names.path(file.name.removesuffix(".smt2"), script, shared, source.endings, beside)]
    return [names.path(str(one.name), script, [*shared, one], source.endings, beside) for one in named]


class _Names:
    """The names of one file, and what they stand for."""

    def __init__(self, interface: Interface, names: Mapping[str, str], where: str) -> None:
        self.interface = interface
        self.where = where
        self.inputs = {names.get(v.path, v.path): v for v in interface.inputs}
        self.outputs = {names.get(out.name, out.name): out for out in interface.outputs}

    def array_bytes(self) -> dict[str, int]:
        """The lengths of the byte arrays that hold variables: a path may read only some of their bytes."""
        widths = {name: v.type.width for name, v in self.inputs.items()}
        widths |= {name: out.variable.type.width for name, out in self.outputs.items()}
        return {name: (width + 7) // 8 for name, width in widths.items()}

    def path(
        self,
        name: str,
        script: SmtLibScript,
        statements: Sequence[Assertion],
        endings: Mapping[str, str],
        default: Ending,
    ) -> Path:
        """One path: its assertions over the interface's symbols, the outputs taken out."""
        terms = [term for statement in statements for term in (statement.term, *statement.obligations)]
        ending = parse_ending(endings[name], name) if name in endings else default
        used = [(self.inputs[n], t) for n, t in script.declarations.items() if n in self.inputs]
        replaced = substitute(terms, {t: _input_term(variable, t, self.where) for variable, t in used})
        declared = {n: t for n, t in script.declarations.items() if n in self.outputs}
        parts = take_apart(replaced, list(declared.values()))
        self._refuse_strangers(name, [parts.condition, *parts.defined.values()], parts.missing)
        # A path that no state takes may have lost its equations: `false and ...` folds to `false`.
        decides = isinstance(ending, Decided) and parts.condition is not build.FALSE
        outputs = self._outputs(name, declared, parts.defined) if decides else {}
        return Path(name, parts.condition, ending, outputs)

    def _outputs(self, path: str, declared: Mapping[str, Term], defined: Mapping[Term, Term]) -> dict[str, OutputValue]:
        """The term of each output; a path that decides must define all of them."""
        found: dict[str, OutputValue] = {}
        for name, output in self.outputs.items():
            term = declared.get(name)
            if term is None or term not in defined:
                raise ProgramError(
                    f"{self.where}: the path {path} does not say what {output.name} is",
                    f"Assert an equation (= {name} ...) over the inputs, or say in [endings] how the path ends.",
                )
            found[output.name] = OutputValue(_output_term(output.variable, term, defined[term], self.where))
        return found

    def _refuse_strangers(self, path: str, terms: Sequence[Term], missing: Sequence[Term]) -> None:
        """Refuse variables other than inputs in a path's condition and outputs."""
        known = {variable.symbol for variable in self.interface.inputs}
        left = sorted(free_variables(terms) - known, key=lambda term: term.name)
        if not left:
            return
        if left[0] in missing:
            raise ProgramError(
                f"{self.where}: the path {path} constrains {left[0].name} but does not say what it is",
                f"Assert an equation (= {left[0].name} ...) over the inputs.",
            )
        raise ProgramError(
            f"{self.where}: the path {path} speaks of {left[0].name}, which is no variable of the interface",
            f'Declare it under [variables] in soid.toml, or map it: smtlib = "{left[0].name}".',
        )


def _input_term(variable: Variable, declared: Term, where: str) -> Term:
    """What an input's name in a script stands for, as a term over the variable's symbol."""
    symbol, kind, sort = variable.symbol, variable.type, declared.sort
    if sort == symbol.sort:
        return symbol
    if isinstance(kind, FloatType) and sort == kind.format:
        return reading(kind, symbol)
    if isinstance(kind, BoolType) and isinstance(sort, BitVec):
        return build.ite(symbol, build.const(sort, 1), build.const(sort, 0))
    raise _unfit(variable, declared, where)


def _output_term(variable: Variable, declared: Term, value: Term, where: str) -> Term:
    """An output's value in a script, as the interface reads it."""
    kind, sort = variable.type, declared.sort
    if isinstance(kind, FloatType):
        if sort == kind.format:
            return value
        if sort == BitVec(kind.width):
            return build.fp_from_bits(kind.format, value)
    elif isinstance(kind, BoolType):
        if isinstance(sort, Bool):
            return value
        if isinstance(sort, BitVec):
            return build.not_(build.eq(value, build.const(sort, 0)))
    elif sort == BitVec(kind.width):
        return value
    raise _unfit(variable, declared, where)


def _unfit(variable: Variable, declared: Term, where: str) -> ProgramError:
    return ProgramError(
        f"{where}: {declared.name} is {_words(declared.sort)}, but the variable {variable.path} is {variable.type}",
        "Give the variable the type that the SMT-LIB file declares, or map another name to it in soid.toml.",
    )


def _words(sort: Sort) -> str:
    match sort:
        case Bool():
            return "a Bool"
        case BitVec(width):
            return f"a bit-vector of {width} bits"
        case Float():
            return f"a float of {sort.width} bits"
