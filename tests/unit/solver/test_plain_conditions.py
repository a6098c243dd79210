"""A box with its ranges and differences says of every state what the conditions say of it."""

from __future__ import annotations

import itertools
from random import Random

from hypothesis import given, settings

from soid.formula import build as b
from soid.formula.passes import evaluate_all, free_variables
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.solver.box_conditions import LOW, Size
from soid.solver.plain_conditions import PlainConditions, lay_out_plainly
from tests.randomness import SEEDED
from tests.unit.formula.terms import TINY, value

BITS, NUMBER = BitVec(TINY.width), BitVec(3)
X, Y, Z = b.var("x", BITS), b.var("y", NUMBER), b.var("z", NUMBER)
READ = b.fp_from_bits(TINY, X)


def constant(random: Random, like: Term) -> Term:
    return b.const(like.sort, value(random, like.sort))


def compared(random: Random) -> Term:
    """A comparison of a variable, or of what it is read as, with a constant or with another one."""
    if random.randrange(2):
        pair = [READ, constant(random, READ)]
        made = random.choice((b.fp_lt, b.fp_leq, b.fp_eq))
    else:
        one = random.choice((X, Y, Z))
        pair = [one, Y if random.randrange(6) == 0 and one is Z else constant(random, one)]
        made = random.choice((b.bvult, b.bvule, b.bvslt, b.bvsle, b.eq))
    random.shuffle(pair)
    found = made(*pair)
    return b.not_(found) if random.randrange(4) == 0 else found


def differing(random: Random) -> Term:
    some = random.sample((X, Y, Z), random.randrange(1, 4))
    return b.any_of(b.not_(b.eq(each, constant(random, each))) for each in some)


def conditions(random: Random) -> list[Term]:
    return [random.choice((compared, compared, differing))(random) for _ in range(random.randrange(1, 7))]


@given(random=SEEDED)
@settings(max_examples=50)
def test_the_states_are_those_of_the_conditions(random: Random) -> None:
    asked = conditions(random)
    laid_out = lay_out_plainly(asked, Size(variables=8, terms=400))
    if laid_out is None:
        assert not free_variables(asked)
        return
    start = laid_out.start()
    orders = [variable.order for variable in laid_out.variables]
    for values in itertools.product(*(range(order.places[1] - order.places[0] + 1) for order in orders)):
        state = {variable.term: each for variable, each in zip(laid_out.variables, values, strict=True)}
        places = [order.place_of(each) for order, each in zip(orders, values, strict=True)]
        box = tuple((place, place) for place in places)
        inside = start is not None and all(
            low <= place <= high for place, (low, high) in zip(places, start, strict=True)
        )
        holds = inside and laid_out.model_at(box, LOW) == state
        assert holds == all(evaluate_all(asked, state)), (asked, state)
        if holds:  # a box without models may be found to have none, any other may not
            everything = (1 << len(places)) - 1
            assert laid_out.evaluate(box, laid_out.constants.copy(), everything)


def test_ranges_and_differences_need_no_terms() -> None:
    low, high = (b.const(TINY, each) for each in (0, TINY.max_finite))
    ranged = [b.fp_leq(low, READ), b.fp_leq(READ, high), b.bvsle(Y, b.const(NUMBER, 2)), b.eq(Z, b.const(NUMBER, 7))]
    differs = b.or_(*(b.not_(b.eq(each, b.const(each.sort, 0))) for each in (X, Y)))
    related = b.bvult(Z, Y)
    found = PlainConditions.of([b.and_(*ranged, differs), related])
    assert found.others == [related]
    assert (len(found.ranges), len(found.differences)) == (3, 1)
