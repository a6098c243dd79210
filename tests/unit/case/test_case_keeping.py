"""A case as a whole: its title, and that an archived one stays as it is."""

import pytest

from soid.case import validity
from soid.case.case import Case
from soid.errors import CaseError
from soid.evidence.bundle import bundle
from soid.evidence.checks import CheckOutcome
from soid.evidence.verify import verify
from soid.examples import folder

QUESTION = "might action == CANCEL if heat is anything"


@pytest.fixture
def case(tmp_path):
    with Case.create(tmp_path / "oven.case", folder("microwave"), title="The oven", who="ada") as made:
        yield made


def test_a_title_is_an_entry_and_the_bundle_has_the_last_one(case, tmp_path):
    named = case.rename("  Moss\n v. Oven ")
    assert case.title == "Moss v. Oven" and case.entries[0].payload["title"] == "The oven"
    for same in ("Moss v. Oven", " "):
        with pytest.raises(CaseError):
            case.rename(same)
    case.ask(QUESTION)
    (tmp_path / "oven.zip").write_bytes(bundle(case.record.file).data)
    found = verify(tmp_path / "oven.zip")
    assert found.title == "Moss v. Oven" and found.summary == "1 fact: 1 re-proved"
    assert all(check.outcome is not CheckOutcome.CONTRADICTED for check in found.checks)
    case.retract(named.number, "it was another oven")
    assert case.title == "The oven"


def test_nothing_is_added_to_an_archived_case_until_it_is_brought_back(case):
    entry = case.archive()
    assert case.archived == entry.number
    before = case.entries
    for change in (
        lambda: case.ask(QUESTION),
        lambda: case.note(1, "hm"),
        lambda: case.rename("x"),
        lambda: case.archive(),
        lambda: case.keyframe(1, "x"),
        lambda: case.compare_log(),
    ):
        with pytest.raises(CaseError, match="the case is archived: no reason was given"):
            change()
    with Case.open(case.record.file, who="ben") as again:  # opening notices nothing in it either
        assert again.entries == before
    back = case.unarchive("the appeal was granted")
    assert back.payload["entry"] == entry.number and case.archived is None
    with pytest.raises(CaseError, match="not archived"):
        case.unarchive()
    assert case.ask(QUESTION).entry.verdict is not None
    case.retract(back.number, "it was not")  # a retraction of it archives the case again
    assert validity.archived(case.entries) == entry.number
