import re

import pytest

from soid import errors
from soid.cli import exits
from soid.errors import InternalError, SoidError
from soid.oracle.answer import Verdict


def _tree(kind: type[SoidError]) -> list[type[SoidError]]:
    return [
        kind,
        *(each for child in kind.__subclasses__() for each in _tree(child) if each.__module__ == errors.__name__),
    ]


def test_every_verdict_has_a_status_of_its_own():
    assert list(exits.VERDICTS) == [verdict.value for verdict in Verdict]
    assert len(set(exits.VERDICTS.values())) == len(Verdict)


def test_no_error_shares_a_status_with_a_verdict_or_with_another_kind():
    kinds = [kind for kind in _tree(SoidError) if not issubclass(kind, InternalError) and "exit_code" in vars(kind)]
    codes = [kind.exit_code for kind in kinds]
    assert len(set(codes)) == len(codes)
    assert not set(codes) & {*exits.VERDICTS.values(), exits.USAGE, exits.INTERNAL, exits.INTERRUPTED}
    assert InternalError.exit_code == exits.INTERNAL


def test_the_help_says_the_true_range():
    codes = [kind.exit_code for kind in _tree(SoidError) if not issubclass(kind, InternalError)]
    assert f"{min(codes)} to {max(codes)}" in exits.HELP
    for verdict, code in exits.VERDICTS.items():
        assert re.search(rf"\b{'log mismatch' if verdict == 'error' else verdict} {code}\b", exits.HELP)


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        (["yes"], 0),
        (["no"], 1),
        (["vacuous"], 2),
        (["unknown"], 3),
        (["error"], 4),
        (["yes", "no"], 0),
        (["no", "no"], 0),
        (["yes", "unknown", "vacuous"], 3),
        (["vacuous", "error"], 2),
    ],
)
def test_several_questions_end_with_the_first_that_is_neither_yes_nor_no(verdicts, status):
    assert exits.of_answers(verdicts) == status
