"""Learning: the same seed gives the same table, and the rewards are the profiles'."""

import pytest

from soid.case.project import Project
from soid.examples import copy
from soid.examples.crash.car_program import DRIVERS, HERE, Feature
from soid.examples.crash.logs import CRASH, KEYFRAME, as_jsonl, run
from soid.examples.crash.rewards import REWARDS, Event
from soid.examples.crash.train import EPISODES, SEED, as_c, draw, main, train
from tests.e2e.test_crash import VERDICTS

ENTERING = Feature.AT_LINE | Feature.APPROACHED


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_short_retraining_is_reproducible(driver):
    one, two = (train(driver, seed=5, episodes=15) for _ in range(2))
    assert one == two
    assert as_c(driver, one.table) == as_c(driver, two.table)
    assert one.table != train(driver, seed=6, episodes=15).table


@pytest.mark.soak  # a full training of each driver; a short one is compared in every run
@pytest.mark.timeout(600)
@pytest.mark.parametrize("driver", DRIVERS)
def test_the_committed_tables_are_what_training_makes(driver):
    learned = train(driver, SEED, EPISODES)
    assert as_c(driver, learned.table) == (HERE / f"table_{driver}.h").read_text()
    assert draw(driver, learned.returns) == (HERE / driver / "curve.svg").read_text()


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
@pytest.mark.parametrize("driver", DRIVERS)
def test_what_the_questions_show_does_not_depend_on_the_seed(driver, seed, tmp_path, monkeypatch):
    copy("crash", tmp_path / "crash")
    (tmp_path / "crash" / f"table_{driver}.h").write_text(as_c(driver, train(driver, seed, EPISODES).table))
    monkeypatch.setattr("soid.examples.crash.car_program.HERE", tmp_path / "crash")
    log = tmp_path / "crash" / driver / "log.jsonl"
    committed, ran = log.read_text().count("\n"), run(driver, CRASH)
    log.write_text(as_jsonl(ran))
    project = Project.open(tmp_path / "crash" / driver)
    assert project.manifest is not None
    # a question about the rest of the log: with another table the two cars collide some steps sooner or later
    rest, own = (f"within {steps - KEYFRAME} steps" for steps in (committed, len(ran)))
    questions = [each.replace(rest, own) if each.startswith("did ") else each for each in project.manifest.questions]
    assert [project.ask(question).verdict.value for question in questions] == VERDICTS[driver]
    project.solver.close()


def test_training_writes_tables_that_the_program_can_include(tmp_path, capsys):
    assert main(["impatient", "--episodes", "5", "--to", str(tmp_path)]) == 0
    header = (tmp_path / "table_impatient.h").read_text()
    assert header.splitlines()[2] == (HERE / "table_impatient.h").read_text().splitlines()[2]
    assert header.count("},\n") == 1024
    assert (tmp_path / "impatient" / "curve.svg").read_text().startswith("<svg")
    assert "5 of 5 episodes" in capsys.readouterr().err


def test_a_driver_that_there_is_not(capsys):
    with pytest.raises(SystemExit):
        main(["drunk"])
    assert "there is no driver drunk" in capsys.readouterr().err


def test_a_curve_of_one_episode_can_be_drawn():
    assert "1 episodes" in draw("standard", [3.0])


def test_only_the_standard_driver_minds_entering_unsafely():
    rewards = {driver: REWARDS[driver](ENTERING, True, Event.NOTHING) for driver in DRIVERS}
    assert rewards == {"standard": -30.0, "impatient": 10.0, "pathological": 0.0}
    assert REWARDS["standard"](ENTERING | Feature.SAFE, True, Event.NOTHING) == 10.0


@pytest.mark.parametrize("driver", DRIVERS)
def test_nobody_is_rewarded_for_tailgating(driver):
    assert REWARDS[driver](int(Feature.TAILGATING), True, Event.NOTHING) == -30.0
    assert REWARDS[driver](int(Feature.TAILGATING), True, Event.CRASH) < 0
