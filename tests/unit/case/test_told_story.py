"""The story of a case in sentences, and the harm as the record has it."""

from __future__ import annotations

import pytest

from soid.case.case import Case
from soid.case.told_story import told_story
from soid.examples import folder


@pytest.fixture
def crash(tmp_path):
    with Case.create(tmp_path / "crash.case", folder("crash") / "standard") as made:
        yield made


def test_the_story_is_the_manifests_and_what_was_decided_is_the_logs(crash):
    found = told_story(crash)
    assert found.happened == crash.first.manifest.story.happened and "four-way stop" in found.happened
    assert found.moment == "At step 11 it decided to drive on."
    stayed = next(step.time for step in crash.project_at().trace if step.decisions.get("move") == 0)
    assert told_story(crash, step=stayed).moment == f"At step {stayed} it decided to stay."


def test_the_record_says_whether_the_harm_came_about(crash):
    def harm():
        return told_story(crash).harm

    assert harm() == ("The two cars collide. Whether that happened has not been asked.",)
    early = crash.ask("did collision within 2 steps").entry
    assert harm() == (
        f"The two cars collide. That did not happen in the steps that were asked about: entry {early.number}.",
    )
    crash.ask("did collision throughout 16 steps")  # a no, which does not say that it never did
    assert f"entry {early.number}." in harm()[0]
    late = crash.ask("did collision within 16 steps").entry
    assert harm() == (f"The two cars collide. That happened: entry {late.number}.",)
    crash.retract(late.number, "no")
    assert f"entry {early.number}." in harm()[0]


def test_a_harm_without_a_world_is_told_as_the_manifest_has_it(tmp_path):
    with Case.create(tmp_path / "loan.case", folder("lending")) as case:
        assert told_story(case).harm == ("She was refused the loan.",)
    with Case.create(tmp_path / "drone.case", folder("drone")) as case:
        assert told_story(case, step=236).moment.startswith("At step 236")


def test_what_the_questions_are_about_is_told_and_not_what_else_has_names(tmp_path):
    """The story of the overdraft was that it chose MS as the salutation."""
    with Case.create(tmp_path / "a.case", folder("overdraft")) as case:
        told = told_story(case).moment
    assert told == "At step 17 v1 decided to set the limit to 1750 EUR."
