"""Several programs in one scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.project import Project
from soid.errors import UnknownVariableError
from tests.several_programs import several

CAREFUL = "int decide(int gap, int wet) { return gap < (wet ? 40 : 20); }\n"  # brakes
HASTY = "int decide(int gap, int wet) { return gap < 20; }\n"
BROKEN = "int decide(int gap, int wet) { return 100 / gap > 4; }\n"
LOG = '{"gap": 30, "wet": 1, "return": 1}\n'
DOMAINS = "gap = { domain = [0, 100] }\nwet = { domain = [0, 1] }\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return several(tmp_path, {"careful": CAREFUL, "hasty": HASTY, "broken": BROKEN}, LOG, variables=DOMAINS)


def test_inputs_are_shared_and_decisions_are_called_after_their_program(project: Project) -> None:
    interface = project.program.interface
    assert [v.path for v in interface.inputs] == ["gap", "wet"]
    assert [v.path for v in interface.decisions] == ["careful.return", "hasty.return", "broken.return"]


def test_the_log_has_what_the_first_program_decided(project: Project) -> None:
    answer = project.ask("did careful.return == 1")
    assert (answer.verdict.value, answer.fact["careful.return"]) == ("yes", 1)
    assert project.ask("did hasty.return == 1").verdict.value == "no"


def test_what_one_of_them_decides_needs_its_program(project: Project) -> None:
    with pytest.raises(UnknownVariableError) as error:
        project.ask("did return == 1")
    assert "careful.return" in error.value.remedy


def test_programs_are_compared_over_a_family(project: Project) -> None:
    same = "careful.return == hasty.return"
    assert project.ask(f"would {same} if gap is anything and wet == 0").verdict.value == "yes"
    found = project.ask(f"would {same} if gap is anything")
    assert found.verdict.value == "no" and found.witness is not None
    assert 20 <= found.witness.inputs["gap"] < 40
    assert (found.witness.outputs["careful.return"], found.witness.outputs["hasty.return"]) == (1, 0)
    assert "running the compiled program" in found.witness.replayed


def test_one_that_fails_says_nothing_of_the_others(project: Project) -> None:
    assert project.ask("might broken.fails if gap is anything").verdict.value == "yes"
    assert project.ask("would hasty.return == 1 if 0 <= gap <= 19").verdict.value == "yes"
    assert project.ask("might fails if gap is anything").verdict.value == "no"  # the first one


def test_a_comparison_with_one_that_fails_is_neither_true_nor_false(project: Project) -> None:
    found = project.ask("would broken.return == hasty.return if gap in {0, 5}")
    assert found.verdict.value == "no" and found.witness is not None
    assert found.witness.inputs["gap"] == 0 and found.witness.outputs["broken.fails"] == 1
    assert "broken.return" not in found.witness.outputs
    assert project.ask("might broken.return != hasty.return if gap in {0, 5}").verdict.value == "no"


def test_questions_about_some_programs_are_answered_in_any_order(project: Project) -> None:
    """Paths that are kept from a question about one program must not serve one about two."""
    alone, both = "would hasty.return == 0 if gap >= 50", "would hasty.return == careful.return if gap >= 50"
    assert [project.ask(each).verdict.value for each in (alone, both, alone, both)] == ["yes"] * 4


def test_each_remembers_for_itself(tmp_path: Path) -> None:
    counting = "static int count; int decide(int on) {{ if (on) count += {}; return count; }}\n"
    log = "".join(f'{{"on": 1, "count": {at}, "return": {at + 1}}}\n' for at in range(4))
    project = several(tmp_path, {"by_one": counting.format(1), "by_two": counting.format(2)}, log).at(0)
    assert project.ask("did by_one.return == 1 and by_two.return == 2").verdict.value == "yes"
    assert project.ask("did by_one.return == 3 and by_two.return == 6 after 3 steps").verdict.value == "yes"
    assert project.ask("did count' == 3 and by_two.count' == 6 after 3 steps").verdict.value == "yes"
    held = project.ask("would by_two.return == 2 * by_one.return throughout 3 steps held if on in {0, 1, 2}")
    assert held.verdict.value == "yes"


def test_names_of_one_program_may_be_mapped(tmp_path: Path) -> None:
    other = "int decide(int distance, int wet) { return distance < 40; }\n"
    extra = {"other": 'names = { distance = "gap" }'}
    variables = '"careful.return" = { label = "brakes" }'
    project = several(tmp_path, {"careful": CAREFUL, "other": other}, LOG, extra=extra, variables=variables)
    assert [v.path for v in project.program.interface.inputs] == ["gap", "wet"]
    found = project.ask("would careful.return == other.return if gap is anything")
    assert found.verdict.value == "yes"
    assert project.ask("would careful.return == other.return if wet == 0").verdict.value == "no"


def test_results_of_library_functions_are_each_programs_own(tmp_path: Path) -> None:
    """Both call exp: what one call returned must not be taken for what the other did."""
    source = "#include <math.h>\nint decide(double x) {{ return exp(x{}) > 2.0; }}\n"
    programs = {"plain": source.format(""), "shifted": source.format(" + 1.0")}
    project = several(tmp_path, programs, '{"x": 0.0, "return": 0}\n')
    found = project.ask("might plain.return != shifted.return if 0.1 <= x <= 0.5")
    assert found.verdict.value == "yes"
    assert project.ask("would plain.return == shifted.return if 1.0 <= x <= 3.0").verdict.value == "yes"


def test_paths_merge_before_their_combinations_are_many(tmp_path: Path) -> None:
    """Thirty-two paths of one program are few; of two they are a thousand."""
    ways = " ".join(f"if (gap & {1 << bit}) sum += wet;" for bit in range(5))
    source = f"int decide(int gap, int wet) {{ int sum = 0; {ways} return sum; }}\n"
    project = several(tmp_path, {"one": source, "same": source}, LOG.replace('"return": 1', '"return": 4'))
    alone = project.ask("would one.return >= 0 if 0 <= gap <= 31 and wet in {0, 1}")
    both = project.ask("would one.return == same.return if gap is anything and wet in {0, 1}")
    assert (alone.verdict.value, both.verdict.value) == ("yes", "yes")
    assert not alone.settled_by.get("merging") and both.settled_by.get("merging")
    assert both.paths["decided"] == 1
