import pytest

from soid.engine.manifest_reader import load
from soid.examples import NAMES, folder
from soid.examples.story import story_of


@pytest.mark.parametrize("name", NAMES)
def test_a_story_fits_the_questions_of_its_projects(name):
    story = story_of(name)
    compared = {place for answers in story.pattern.rows.values() for place in answers}
    for number, act in enumerate(story.acts, start=1):
        questions = load(folder(name) / act.project).questions
        assert set(act.asides) <= set(range(1, len(questions) + 1))
        needed = {asked for needs in act.conclusions.values() for asked in needs}
        needed |= {asked for place, asked in compared if place == number}
        assert needed == set(act.asides)  # no question is asked in vain, and none is missing


@pytest.mark.parametrize("name", [name for name in NAMES if story_of(name).pattern.rows])
def test_every_row_of_a_pattern_answers_every_question(name):
    pattern = story_of(name).pattern
    assert {len(answers) for answers in pattern.rows.values()} == {len(pattern.questions)}
    assert {len(verdicts.split(", ")) for verdicts in pattern.supports} == {len(pattern.questions)}
