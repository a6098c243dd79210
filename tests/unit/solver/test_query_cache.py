from __future__ import annotations

from soid.formula import build as b
from soid.formula.sorts import BOOL
from soid.solver.protocol import Reason, Sat, Unknown, Unsat
from soid.solver.query_cache import QueryCache
from tests.unit.solver.fake import Fake

P, Q, R = (b.var(name, BOOL) for name in "pqr")


def test_a_question_is_asked_once_whatever_its_order() -> None:
    fake = Fake(Sat({P: True, Q: True}))
    cache = QueryCache(fake)
    assert cache.check([P, Q]) == cache.check([Q, P]) == cache.check([Q, P, Q]) == Sat({P: True, Q: True})
    assert len(fake.asked) == 1


def test_unsat_answers_for_more_but_not_for_less() -> None:
    fake = Fake(Unsat(), Sat({P: True}))
    cache = QueryCache(fake)
    assert cache.check([P, Q]) == cache.check([R, Q, P]) == Unsat()
    assert len(fake.asked) == 1
    assert cache.check([P]) == cache.check([P, R]) == Sat({P: True})
    assert len(fake.asked) == 3


def test_unknown_is_asked_again() -> None:
    fake = Fake(Unknown(Reason.TIME), Sat({P: True}))
    cache = QueryCache(fake)
    assert isinstance(cache.check([P]), Unknown)
    assert isinstance(cache.check([P]), Sat)


def test_the_oldest_answers_go_first() -> None:
    fake = Fake(Sat({}))
    cache = QueryCache(fake, size=2)
    for term in (P, Q, P, R, P, Q):
        cache.check([term])
    assert fake.asked == [(P,), (Q,), (R,), (Q,)]


def test_closing_forgets() -> None:
    fake = Fake(Sat({}))
    cache = QueryCache(fake)
    cache.check([P])
    cache.close()
    cache.check([P])
    assert len(fake.asked) == 2
    assert fake.closed == 1
