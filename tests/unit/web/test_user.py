"""What a role may do, and that no operation forgets to ask for one."""

import inspect

import pytest

from soid.errors import NotAllowed
from soid.web.case_service import CaseService
from soid.web.desk_service import DeskService
from soid.web.user import User, UserRole, needed

#: what needs only the role that reads, and what the one that comments; the rest needs the role that asks
READ = {
    DeskService: {"cases", "open", "course", "deleted", "jobs", "job", "cancel"},
    CaseService: {
        "preview",
        "moment",
        "derived",
        "film",
        "abstraction",
        "report",
        "bundle",
        "ways",
        "cancel",
        "story",
        "scripts",
        "suggestions",
    },
}
COMMENT = {DeskService: set(), CaseService: {"note", "withdraw_note"}}


@pytest.mark.parametrize("service", [DeskService, CaseService])
def test_every_operation_says_the_role_that_it_needs(service):
    operations = {name: do for name, do in inspect.getmembers(service, inspect.isfunction) if not name.startswith("_")}
    told = {role: {name for name, do in operations.items() if needed(do) is role} for role in UserRole}
    assert told[UserRole.READ] == READ[service]
    assert told[UserRole.COMMENT] == COMMENT[service]
    assert told[UserRole.ASK] == operations.keys() - READ[service] - COMMENT[service]


@pytest.mark.parametrize("service", [DeskService, CaseService])
def test_what_needs_another_role_is_refused_before_anything_is_done(service):
    for role in UserRole:
        user = User("eve", role, "0a")
        bare = service.__new__(service)  # without a desk: whatever were done would fail otherwise
        bare.user = user
        for _, do in inspect.getmembers(service, inspect.isfunction):
            least = needed(do)
            if least is not None and not user.may(least):
                with pytest.raises(NotAllowed):
                    do(bare)


def test_an_author_is_a_name_with_the_id_of_the_token():
    assert User("ada").author == "ada"
    assert User("ada", UserRole.READ, "0a1b").author == "ada (token 0a1b)"
