"""Deleting a case: it is confirmed by its name, and leaves a trace that its copies can be compared with."""

import pytest

from soid.case.case import Case
from soid.case.deletion import FILE_NAME, delete, deleted_in, name_of
from soid.errors import CaseError, InputError
from soid.examples import folder


@pytest.fixture
def file(tmp_path):
    with Case.create(tmp_path / "oven.case", folder("microwave"), title="The oven", who="ada") as case:
        case.rename("Moss v. Oven")
    return tmp_path / "oven.case"


def test_only_its_present_name_deletes_it(file):
    for typed in ("", "oven", "The oven", "moss v. oven"):
        with pytest.raises(CaseError, match="not what the case is called"):
            delete(file, typed, who="eve")
    assert file.exists() and deleted_in(file.parent) == ()
    head = Case.open(file, read_only=True).entries[-1].hash
    gone = delete(file, " Moss v. Oven ", who="ada (token 3f9a2c1d04)")
    assert not file.exists()
    assert (gone.head, gone.entries, gone.who, gone.file) == (head, 2, "ada (token 3f9a2c1d04)", "oven.case")
    assert deleted_in(file.parent) == (gone,)


@pytest.mark.parametrize(
    ("title", "shown"),
    [("paid\u202e  ton\u200b", "paid[U+202E] ton[U+200B]"), ("a\nb", "a b"), (" ", "oven")],
)
def test_it_is_deleted_by_the_name_that_is_shown(tmp_path, title, shown):
    """Signs that cannot be seen cannot be typed either."""
    file = tmp_path / "oven.case"
    Case.create(file, folder("microwave"), title=title, who="ada").close()
    assert name_of(file) == shown
    assert delete(file, shown, who="ada").title == shown


def test_what_cannot_be_read_can_be_deleted_by_the_name_of_its_file(tmp_path):
    file = tmp_path / "broken.case"
    file.write_bytes(b"nothing")
    assert name_of(file) == "broken"
    gone = delete(file, "broken", who="ada")
    assert gone.head == "" and len(gone.sha256) == 64 and deleted_in(tmp_path) == (gone,)


def test_without_a_trace_nothing_is_deleted(file):
    (file.parent / FILE_NAME).symlink_to(file.parent / "elsewhere")
    with pytest.raises(CaseError, match="so nothing is deleted"):
        delete(file, "Moss v. Oven", who="ada")
    assert file.exists() and not (file.parent / "elsewhere").exists()


@pytest.mark.parametrize("left", [(1, 2), (0, 2), (1, 0, 2)])
def test_a_line_that_was_changed_or_taken_out_is_found(file, left):
    """Not the last ones: after them comes no line that shows it."""
    kept = file.read_bytes()
    for number in range(3):
        file.write_bytes(kept)
        delete(file, "Moss v. Oven", who=f"user {number}")
    listed = file.with_name(FILE_NAME)
    lines = listed.read_text().splitlines()
    assert [gone.who for gone in deleted_in(file.parent)] == ["user 2", "user 1", "user 0"]
    listed.write_text("".join(f"{lines[number]}\n" for number in left))
    with pytest.raises(InputError, match="does not follow"):
        deleted_in(file.parent)
    listed.write_text("\n".join(lines).replace("user 1", "user 7") + "\n")
    with pytest.raises(InputError, match="does not follow"):
        deleted_in(file.parent)


def test_a_list_that_was_changed_by_hand_is_not_believed(file):
    delete(file, "Moss v. Oven", who="ada")
    with (file.parent / FILE_NAME).open("a") as opened:
        opened.write("{}\n")
    with pytest.raises(InputError, match="cannot be read"):
        deleted_in(file.parent)
