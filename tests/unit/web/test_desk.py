"""The desk: cases and their ids, questions in other processes, what happens when those are called off or die."""

import os
import signal
import threading

import pytest
from msgspec.structs import replace

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.cli.commands.serve_command import first_page
from soid.errors import CaseError, DeskBusy, InputError, KeyframeError, NotOnDesk, QueryError, SoidError
from soid.examples import folder, simulation_of
from soid.oracle.inquiry import Settings
from soid.web.access import AccessPolicy
from soid.web.case_service import LONGEST
from soid.web.desk import Desk, id_of, slug
from soid.web.desk_service import DeskService
from soid.web.token_file import TokenFile, proof_of
from soid.web.user import User, UserRole
from soid.web.work.job import Job, JobState
from soid.web.work.pool import Pool
from soid.web.work.tasks import AskTask, ReportTask
from tests.unit.web.conftest import ENDLESS, QUICK
from tests.waiting import PATIENCE, server_workers, until


def running(desk: Desk, question: str = ENDLESS) -> Job:
    """A question under way: its worker has begun to say what it does."""
    job = desk.open("nut", User("ben")).ask(question)
    until(lambda: job.progress is not None and job.progress.stage in ("explore", "solve", "family"))
    return job


# --- cases


def test_cases_are_listed_with_what_they_are_about(desk):
    cards = {card.id: card for card in desk.cases()}
    assert (cards["oven"].title, cards["oven"].program) == ("The oven", "microwave operator")
    assert cards["nut"].title == "a hard nut"  # the program's name is the default
    assert [cards[each].name for each in ("oven", "nut")] == ["The oven", "nut"]  # by which each is deleted


def test_a_browser_begins_at_the_one_case_that_is_served(desk):
    one = next(card for card in desk.cases() if card.id == "oven")
    assert first_page(desk.folder / "oven.case", [one]) == "case/oven"
    assert first_page(desk.folder / "no-case.db", []) == ""
    assert first_page(desk.folder, desk.cases()) == ""


def test_before_anything_is_answered_nothing_has_been_shown(tmp_path):
    Case.create(tmp_path / "new.case", folder("microwave")).close()
    with Desk(tmp_path, cores=1) as made, pytest.raises(CaseError, match="no question has been answered yet"):
        made.open("new", User("ada")).abstraction()


def test_what_is_no_case_is_listed_with_its_problem_and_opens_nothing(tmp_path):
    (tmp_path / "broken.case").write_bytes(b"SQLite format 3\0 and then nothing")
    (tmp_path / "notes.txt").write_text("no case")
    with Desk(tmp_path) as desk:
        (card,) = desk.cases()
        assert card.id == "broken" and card.problem
        with pytest.raises(CaseError):
            desk.open("broken", User("ada"))


@pytest.mark.parametrize("case_id", ["", ".", "..", "../oven", "oven.case", "/etc/passwd", "OVEN", "oven\0", "a" * 500])
def test_an_id_is_looked_up_and_never_made_a_path_of(desk, case_id):
    with pytest.raises(NotOnDesk):
        desk.open(case_id, User("ada"))


def test_files_with_names_that_look_alike_have_ids_of_their_own(tmp_path):
    names = ["a b.case", "a-b.case", "a/b".replace("/", "\\") + ".case", "ä.case", "..case"]
    files = [tmp_path / name for name in names]
    assert len({id_of(file) for file in files}) == len(files)
    assert all(slug(id_of(file)) == id_of(file) for file in files)


def test_a_new_case_never_takes_the_id_of_another(desk):
    spaced = desk.folder / "my oven.case"
    Case.create(spaced, folder("microwave")).close()
    made = [desk.create(folder("microwave"), name="my oven") for _ in range(2)]  # at the same time
    assert all(job.wait(PATIENCE) for job in made)
    assert [job.result["id"] for job in made] == ["my-oven", "my-oven-2"]
    assert {"my-oven", "my-oven-2", id_of(spaced)} <= {card.id for card in desk.cases()}


def test_a_name_whose_case_came_to_nothing_is_free_again(desk, tmp_path):
    made = []
    for _ in range(2):
        made.append(desk.create(tmp_path, name="nothing"))  # there is no soid.toml in it
        assert made[-1].wait(PATIENCE) and made[-1].error.kind == "ManifestError"
    assert desk.create(folder("microwave"), name="nothing").wait(PATIENCE)
    assert (desk.folder / "nothing.case").is_file()


def test_another_case_that_comes_by_the_name_of_one_is_another_case(desk):
    file = desk.folder / "changing.case"
    for title in ("one", "two"):
        file.unlink(missing_ok=True)
        Case.create(file, folder("microwave"), title=title).close()
        job = desk.open("changing", User("ada")).ask(QUICK)
        assert job.wait(PATIENCE) and job.state is JobState.DONE
        assert (
            desk.open("changing", User("ada")).case.title
            == next(c.title for c in desk.cases() if c.id == "changing")
            == title
        )
        assert len(desk.open("changing", User("ada")).case.entries) == 3


def test_nobody_asks_in_a_case_that_has_the_place_of_a_deleted_one(tmp_path):
    """A page may still be open on a case that somebody else has deleted; links to its facts are in letters."""
    with Desk(tmp_path, cores=1) as desk:
        ada, ben = (DeskService(desk, User(name)) for name in ("ada", "ben"))
        desk.create(folder("microwave"), name="oven", title="The oven", who="ada").wait(PATIENCE)
        page = ben.open("oven")
        ada.delete("oven", "The oven")
        again = desk.create(folder("microwave"), name="oven", title="Another one", who="ada")
        assert again.wait(PATIENCE) and again.result is not None and again.result["id"] == "oven-2"
        Case.create(tmp_path / "oven.case", folder("microwave"), who="cy").close()  # not by this server
        told = "no longer there|another case now"
        for use in (lambda: page.ask(QUICK), lambda: page.note(1, "hm"), page.report, lambda: page.rename("x")):
            with pytest.raises(SoidError, match=told):
                use()
        for each in ("oven", "oven-2"):
            assert [entry.kind for entry in ada.open(each).case.entries] == [EntryKind.OPENED]
            ada.open(each).case.record.verify()


def test_a_single_case_is_served_alone(desk):
    with Desk(desk.folder / "oven.case") as alone:
        assert [card.id for card in alone.cases()] == ["oven"]
        with pytest.raises(NotOnDesk):
            alone.open("nut", User("ada"))


# --- questions


def test_a_question_is_answered_on_the_record_by_who_asked_it(desk):
    service = desk.open("oven", User("  ben  ", key="0a1b"))
    case, before = service.case, len(service.case.entries)
    job = service.ask(QUICK)
    assert job.wait(PATIENCE) and job.state is JobState.DONE
    assert job.result["answer"]["verdict"] == "yes"
    asked, answered = case.entries[before:]
    assert (asked.kind, answered.kind, answered.number) == (EntryKind.ASKED, EntryKind.ANSWERED, job.result["entry"])
    assert asked.who == answered.who == "ben (token 0a1b)"
    assert case.recall(answered.number).verdict.value == "yes"
    assert answered in case.facts


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("might nobody == 1", QueryError),
        ("", QueryError),
        ("might action == CANCEL if heat is anything and heat == 3", QueryError),
        ("did action == CANCEL" + " " * LONGEST, QueryError),
    ],
)
def test_an_ill_formed_question_is_refused_at_once_and_recorded_nowhere(desk, question, error):
    service = desk.open("oven", User("ada"))
    before, jobs = len(service.case.entries), desk.jobs()
    with pytest.raises(error):
        service.ask(question)
    assert (len(service.case.entries), desk.jobs()) == (before, jobs)


def test_a_moment_that_is_not_in_the_log_is_refused_at_once(desk):
    with pytest.raises(KeyframeError):
        desk.open("oven", User("ada")).ask(QUICK, step=99)
    with pytest.raises(KeyframeError):
        desk.open("oven", User("ada")).ask(QUICK, step="never named")


def test_others_additions_are_seen_from_this_process_and_from_another(desk):
    ada, ben = desk.open("oven", User("ada")), desk.open("oven", User("ben"))
    before = len(ada.case.entries)
    noted = ben.note(1, "seen")
    with Case.open(desk.folder / "oven.case", who="cy") as other:
        other.note(1, "from elsewhere")
    assert len(ada.case.entries) == before + 2
    assert [(note.who, note.payload["text"]) for note in ada.case.notes_on(1)[-2:]] == [
        ("ben", "seen"),
        ("cy", "from elsewhere"),
    ]
    ada.retract(noted.number, "a slip")
    assert noted.number in ben.case.retracted


def test_many_people_at_once_make_one_chain(desk):
    people = [desk.open("oven", User(f"person {number}")) for number in range(8)]
    before = len(people[0].case.entries)
    threads = [threading.Thread(target=person.note, args=(1, f"I am {person.user.name}")) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    added = people[0].case.entries[before:]
    assert sorted((entry.who, entry.payload["text"]) for entry in added) == sorted(
        (person.user.name, f"I am {person.user.name}") for person in people
    )
    with Case.open(desk.folder / "oven.case", read_only=True) as case:
        case.verify_chain()


def test_a_report_and_a_bundle_are_files(desk):
    case = desk.open("oven", User("ada"))
    report, bundle = case.report(), case.bundle()
    assert report.wait(PATIENCE) and report.file is not None and b"<h1" in report.file.read_bytes()
    assert bundle.wait(PATIENCE) and bundle.file is not None and bundle.file.read_bytes().startswith(b"PK")


def test_a_map_has_its_regions_and_its_picture(desk):
    job = desk.open("oven", User("ada")).map("heat is anything and closed is anything")
    assert job.wait(PATIENCE) and job.error is None
    assert job.result["regions"] and job.result["svg"].startswith("<svg")
    with pytest.raises(QueryError):
        desk.open("oven", User("ada")).map("nobody is anything")


def test_a_question_at_every_moment_has_its_stretches_and_records_nothing(desk):
    case = desk.open("oven", User("ada"))
    before = len(case.case.entries)
    job = case.sweep("did action == CLOSE")
    assert job.wait(PATIENCE) and job.error is None
    assert job.result["stretches"] == [
        {"first": 0, "last": 2, "verdicts": {"no": 3}},
        {"first": 3, "last": 3, "verdicts": {"yes": 1}},
        {"first": 4, "last": 4, "verdicts": {"no": 1}},
    ]
    assert job.result["told"] == "At 1 of 5 moments it did close the door. At 4 it did not."
    assert [each["step"] for each in job.result["outstanding"]] == [3, 4] and len(case.case.entries) == before
    with pytest.raises(QueryError):
        case.sweep("did nobody")


def test_agreement_of_log_and_program_is_nothing_to_accept(desk):
    job = desk.open("oven", User("ada")).accept_log_mismatch("because")
    assert job.wait(PATIENCE) and job.state is JobState.FAILED
    assert "agree" in job.error.cause


# --- called off, killed, too many


def test_a_question_that_is_called_off_stays_on_the_record_as_asked(desk):
    job = running(desk)
    job.cancel()
    assert job.wait(PATIENCE) and job.state is JobState.CANCELLED
    unanswered = desk.open("nut", User("ada")).case.unanswered
    assert unanswered[-1].who == "ben"


def test_calling_off_what_is_over_changes_nothing(desk):
    job = desk.open("oven", User("ada")).ask(QUICK)
    assert job.wait(PATIENCE)
    job.cancel()
    assert job.state is JobState.DONE and job.result is not None


def test_a_late_call_for_an_end_does_not_end_the_next_question(desk):
    """The first question may be over when its worker hears that it is called off."""
    case = desk.open("oven", User("ada"))
    jobs = [case.ask(QUICK) for _ in range(12)]
    for job in jobs[::2]:
        job.cancel()
    assert all(job.wait(PATIENCE) for job in jobs)
    assert [job.state for job in jobs[1::2]] == [JobState.DONE] * 6


def test_a_worker_that_dies_fails_its_own_question_and_no_other(desk):
    job = running(desk)
    for worker in server_workers(os.getpid()):
        os.kill(worker, signal.SIGKILL)
    assert job.wait(PATIENCE) and job.state is JobState.FAILED
    assert job.error is not None and "SIGKILL" in job.error.cause and job.error.remedy
    again = desk.open("oven", User("ada")).ask(QUICK)
    assert again.wait(PATIENCE) and again.state is JobState.DONE


def test_a_worker_that_does_not_hear_is_killed(desk):
    job = running(desk)
    for worker in server_workers(os.getpid()):
        os.kill(worker, signal.SIGSTOP)
    job.cancel()
    assert job.wait(PATIENCE) and job.state is JobState.CANCELLED
    again = [desk.open("oven", User("ada")).ask(QUICK) for _ in range(2)]
    for worker in server_workers(os.getpid()):
        os.kill(worker, signal.SIGCONT)
    assert all(one.wait(PATIENCE) and one.state is JobState.DONE for one in again)


def test_what_waits_knows_its_place_and_leaves_the_queue_when_called_off(desk):
    hard = [running(desk) for _ in range(2)]
    waiting = [desk.open("oven", User("ada")).ask(QUICK) for _ in range(3)]
    assert [job.place for job in waiting] == [0, 1, 2]
    heard = []
    waiting[2].subscribe(lambda job: heard.append(job.place))
    waiting[0].cancel()
    assert waiting[0].state is JobState.CANCELLED and waiting[0].seconds == 0
    assert waiting[0].error is not None and "before it was begun" in waiting[0].error.cause
    assert [job.place for job in waiting] == [None, 0, 1] and heard == [1]
    others = [desk.open("oven", User("ben")).report() for _ in range(3)]  # users take turns
    assert [job.place for job in (*waiting[1:], *others)] == [0, 2, 1, 3, 4]
    for job in hard:
        job.cancel()
    assert all(job.wait(PATIENCE) for job in (*hard, *waiting, *others))
    assert [job.state for job in (*waiting[1:], *others)] == [JobState.DONE] * 5


def test_work_on_files_of_strangers_leaves_a_worker_for_questions(desk):
    file, step = desk.folder / "nut.case", desk.open("nut", User("eve")).case.moment()
    endless = AskTask(file, "eve", ENDLESS, step.step, step.log)
    hard = [desk.do(Job("look", who="eve"), endless, seconds=PATIENCE) for _ in range(2)]
    quick = desk.open("oven", User("ada")).ask(QUICK)
    assert quick.wait(PATIENCE) and quick.state is JobState.DONE
    assert [job.state for job in hard] == [JobState.RUNNING, JobState.QUEUED]
    hard[0].cancel()
    until(lambda: hard[1].state is JobState.RUNNING)
    hard[1].cancel()
    assert all(job.wait(PATIENCE) for job in hard)


def test_more_than_can_wait_is_refused(tmp_path):
    Case.create(tmp_path / "oven.case", folder("microwave")).close()
    pool = Pool(1, Settings(), waiting=0)
    try:
        with pytest.raises(DeskBusy) as refused:
            pool.put(Job("report"), ReportTask(tmp_path / "oven.case", "ada"))
        assert refused.value.remedy
    finally:
        pool.close()


def test_a_desk_that_is_closed_calls_everything_off_and_ends_its_workers(desk):
    before = set(server_workers(os.getpid()))
    with Desk(desk.folder / "nut.case", cores=1) as other:
        under_way = running(other)
        waiting = other.open("nut", User("ada")).ask(ENDLESS)
        assert set(server_workers(os.getpid())) - before
    assert (under_way.state, waiting.state) == (JobState.CANCELLED, JobState.CANCELLED)
    assert set(server_workers(os.getpid())) <= before


def test_what_was_asked_with_a_token_that_is_revoked_ends_and_is_not_answered(desk, tmp_path):
    tokens = TokenFile.at(tmp_path)
    eve, ben = (tokens.user(proof_of(tokens.make(name, UserRole.ASK))) for name in ("eve", "ben"))
    assert eve is not None and ben is not None
    access = AccessPolicy("127.0.0.1", tokens=tokens)
    with Desk(desk.folder / "nut.case", cores=1, may_work=access.may_work) as other:
        begun, waiting = (other.open("nut", eve).ask(ENDLESS) for _ in range(2))
        until(lambda: begun.progress is not None)
        quick = other.open("nut", ben).ask("did found")
        tokens.revoke("eve")
        assert all(job.wait(PATIENCE) for job in (begun, waiting, quick))
        assert [job.state for job in (begun, waiting, quick)] == [JobState.CANCELLED] * 2 + [JobState.DONE]
        assert begun.error is not None and "revoked" in begun.error.cause
        with Case.open(desk.folder / "nut.case", read_only=True) as case:
            kinds = [entry.kind.value for entry in case.entries if entry.who == eve.author]
        assert kinds == ["asked"]


def test_where_no_process_can_be_started_the_job_says_so(tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("soid.workers.worker_process.subprocess.Popen", refuse)
    pool, job = Pool(1, Settings()), Job("report")
    pool.put(job, ReportTask(tmp_path / "oven.case", "ada"))
    assert job.wait(PATIENCE) and job.state is JobState.FAILED
    assert job.error is not None and job.error.remedy
    pool.close()


def test_who_listens_badly_harms_nobody(capsys):
    heard = []
    job = Job("ask")
    job.subscribe(lambda _: 1 // 0)  # type: ignore[arg-type]
    job.subscribe(lambda one: heard.append(one.state))
    job.begin()
    assert heard == [JobState.RUNNING] and "ZeroDivisionError" in capsys.readouterr().err


def test_who_listens_hears_every_change_until_they_forget(desk):
    heard = []
    job = Job("ask")
    forget = job.subscribe(lambda one: heard.append(one.state))
    job.begin()
    forget()
    job.end(JobState.DONE, result={})
    assert heard == [JobState.RUNNING]


# --- runs of the crash


def test_a_run_of_the_crash_as_it_was_is_the_crash(desk):
    crash = simulation_of("crash")
    job = desk.simulate(crash, replace(crash.fact, run={"driver": "impatient"}), who="ada")
    assert job.wait(PATIENCE) and job.error is None
    assert job.result["crashed"] and job.result["keyframe"] == 11
    case = desk.open(job.result["id"], User("ada")).case
    packaged = (folder("crash") / "impatient" / "log.jsonl").read_text().splitlines()
    assert len(case.first.trace) == len(packaged) == job.result["steps"]
    assert case.scene is not None and case.moment().step == 11


def test_a_run_that_cannot_be_is_refused(desk):
    crash = simulation_of("crash")
    with pytest.raises(InputError, match="driver: there is no 'nobody'"):
        desk.simulate(crash, replace(crash.fact, run={"driver": "nobody"}))


def test_a_task_that_no_worker_had_taken_goes_to_another(desk):
    idle = desk.open("oven", User("ada")).ask(QUICK)
    assert idle.wait(PATIENCE) and idle.state is JobState.DONE
    stopped = server_workers(os.getpid())
    for worker in stopped:
        os.kill(worker, signal.SIGSTOP)  # as one that is dying: it counts as alive, and takes nothing
    job = desk.open("oven", User("ada")).ask(QUICK)
    until(lambda: job.state is JobState.RUNNING)
    for worker in stopped:
        os.kill(worker, signal.SIGKILL)
    assert job.wait(PATIENCE) and job.state is JobState.DONE
