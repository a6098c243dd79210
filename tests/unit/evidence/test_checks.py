"""What a record says in words is compared with what this soid says: it never passes for proved where it differs."""

from __future__ import annotations

import pytest

from soid.evidence.checks import CheckedClaim, CheckOutcome
from soid.release import version


@pytest.mark.parametrize(
    ("recorded", "maker", "outcomes"),
    [
        ("It would stay.", version(), []),
        ("It would stay.", "0.0.1", []),
        ("It would never stay.", version(), [CheckOutcome.CONTRADICTED]),
        ("It would never stay.", "0.0.1", [CheckOutcome.OPEN]),
    ],
)
def test_other_words_are_false_or_of_another_version(recorded: str, maker: str, outcomes: list[CheckOutcome]) -> None:
    claim = CheckedClaim()
    claim.expect_words("the fact", "It would stay.", recorded, maker)
    assert [check.outcome for check in claim.checks] == outcomes
    assert claim.statement == "It would stay."
