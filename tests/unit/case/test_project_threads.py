"""Several threads on one project, each with its own, and processes that were forked: the same answers each time."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable

import pytest

from soid.case.project import Project
from soid.examples import folder

QUESTIONS = [
    "might action == CANCEL if heat is anything",
    "would action == CLOSE if error is anything and closed is anything",
    "would action == CLOSE after 2 steps if error is anything",
    "did action == CLOSE",
]
Verdicts = list[tuple[int, str, str]]


def verdicts(project: Project) -> Verdicts:
    return [(step, text, project.at(step).ask(text).verdict.value) for step in (1, 2) for text in QUESTIONS]


@pytest.fixture(scope="module")
def alone() -> Verdicts:
    return verdicts(Project.open(folder("microwave")))


def in_threads(work: Callable[[], Verdicts], count: int = 3) -> list[Verdicts]:
    found: list[Verdicts] = []
    threads = [threading.Thread(target=lambda: found.append(work())) for _ in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found


def test_two_threads_ask_one_project(alone: Verdicts) -> None:
    shared = Project.open(folder("microwave"))
    assert in_threads(lambda: verdicts(shared)) == [alone] * 3


def test_each_thread_has_a_project_of_its_own(alone: Verdicts) -> None:
    assert in_threads(lambda: verdicts(Project.open(folder("microwave")))) == [alone] * 3


def test_a_forked_process_asks_on(alone: Verdicts) -> None:
    shared = Project.open(folder("microwave"))
    assert verdicts(shared) == alone
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.SimpleQueue[Verdicts] = context.SimpleQueue()
    forked = [context.Process(target=lambda: answers.put(verdicts(shared))) for _ in range(2)]
    for each in forked:
        each.start()
    assert [answers.get() for _ in forked] == [alone] * 2
    for each in forked:
        each.join()
    assert verdicts(shared) == alone
