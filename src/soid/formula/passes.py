"""Passes over terms: evaluation, substitution, free variables, conjuncts, size. None of them recurses.

>>> from soid.formula.build import bvadd, const, var
>>> from soid.formula.sorts import BitVec
>>> x = var("x", BitVec(8))
>>> term = bvadd(x, const(BitVec(8), 1))
>>> evaluate(term, {x: 255})
0
>>> sorted(v.name for v in free_variables([term]))
['x']
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from soid.formula import build
from soid.formula import operators as ops
from soid.formula.build import apply, const, lookup, reduced
from soid.formula.operators import CONST, VAR
from soid.formula.sorts import BitVec
from soid.formula.term import Term, intern, postorder


def evaluate(term: Term, values: Mapping[Term, Any]) -> Any:
    """The value of a term, given one for each of its free variables."""
    return evaluate_all([term], values)[0]


def evaluate_all(terms: Iterable[Term], values: Mapping[Term, Any]) -> list[Any]:
    """The values of several terms, shared parts computed once. A free variable without a value is a KeyError."""
    roots = list(terms)
    known = evaluate_ordered(postorder(roots), values)
    return [known[root] for root in roots]


def evaluate_ordered(order: Iterable[Term], values: Mapping[Term, Any]) -> dict[Term, Any]:
    """The value of each term, if arguments come before the terms that use them."""
    known: dict[Term, Any] = {}
    for term in order:
        op = term.op
        if op is CONST:
            known[term] = term.params[0]
        elif op is VAR:
            known[term] = reduced(term.sort, values[term])
        elif len(term.args) == 2:  # most terms; a case of its own, because evaluation spends its time here
            one, two = term.args
            known[term] = op.fold((one.sort, two.sort), term.params, (known[one], known[two]))
        elif len(term.args) == 1:
            (one,) = term.args
            known[term] = op.fold((one.sort,), term.params, (known[one],))
        else:
            args = term.args
            known[term] = op.fold(tuple([a.sort for a in args]), term.params, tuple([known[a] for a in args]))
    return known


def substitute(terms: Iterable[Term], replacements: Mapping[Term, Term]) -> list[Term]:
    """The terms with every occurrence of a key replaced by its value; the terms above it are folded again."""
    roots = list(terms)
    done: dict[Term, Term] = {}
    for term in postorder(roots):
        replacement = replacements.get(term)
        if replacement is not None:
            done[term] = replacement
            continue
        args = tuple(done[arg] for arg in term.args)
        done[term] = term if args == term.args else apply(term.op, args, term.params)
    return [done[root] for root in roots]


def free_variables(terms: Iterable[Term]) -> set[Term]:
    stack = list(terms)
    seen = set(stack)
    found = set()
    while stack:
        term = stack.pop()
        if term.op is VAR:
            found.add(term)
        for arg in term.args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return found


def mentions_only(terms: Iterable[Term], variables: Container[Term]) -> bool:
    """Whether all free variables are among these. It stops at the first that is not."""
    stack = list(terms)
    seen = set(stack)
    while stack:
        term = stack.pop()
        if term.op is VAR and term not in variables:
            return False
        for arg in term.args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return True


def flatten_and(conditions: Iterable[Term]) -> list[Term]:
    """The conjuncts of all conditions, also of nested conjunctions: each once, in order, without `true`."""
    found: dict[Term, None] = {}
    stack = list(conditions)[::-1]
    while stack:
        term = stack.pop()
        if term.op is ops.AND:
            stack += term.args[::-1]
        elif term is not build.TRUE:
            found[term] = None
    return list(found)


def size(terms: Iterable[Term]) -> int:
    """The number of different nodes."""
    return len(postorder(terms))


def expand_lookups(terms: Iterable[Term]) -> list[Term]:
    """The terms with each look-up written as a tree of conditions over the index's bits, for solvers without tables.

    Equal halves of a table share one subtree, so a table with few different rows stays small.
    """
    roots = list(terms)
    done: dict[Term, Term] = {}
    for term in postorder(roots):
        args = tuple(done[arg] for arg in term.args)
        if term.op is ops.LOOKUP:
            done[term] = _tree(term.params[0], args[0])
        elif args == term.args:
            done[term] = term
        else:
            done[term] = intern(term.op, term.params, args, term.sort)
    return [done[root] for root in roots]


def _tree(table: Any, index: Term) -> Term:
    assert isinstance(index.sort, BitVec)
    if index.op is CONST:
        return lookup(table, index)
    bits = min(index.sort.width, max(1, (len(table.rows) - 1).bit_length()))
    level = [const(table.sort, table.at(row)) for row in range(1 << bits)]
    for bit in range(bits):
        taken = build.eq(build.extract(index, bit, bit), const(BitVec(1), 1))
        level = [build.ite(taken, level[i + 1], level[i]) for i in range(0, len(level), 2)]
    if bits == index.sort.width:
        return level[0]
    inside = build.bvult(index, const(index.sort, 1 << bits))
    return build.ite(inside, level[0], const(table.sort, 0))
