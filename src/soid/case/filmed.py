"""The film of an answer: the scenario that it shows, beside what happened in fact in the same steps."""

from __future__ import annotations

from soid.case.project import Project
from soid.oracle.answer import Answer
from soid.query.words import sentence
from soid.scene.film import Film, film
from soid.scene.scene import scene_of
from soid.witness.witness import Shows


def has_film(answer: Answer) -> bool:
    """Whether an answer has a scenario that goes on for several steps of a world, and is about what happens in it."""
    witness = answer.witness
    if witness is None or witness.shows is Shows.FACT or not witness.earlier:
        return False
    return bool(witness.interface.produced and answer.query.behavior.names & witness.interface.events)


def filmed(project: Project, answer: Answer) -> Film | None:
    """The film; None where there is no scene, no world, or no scenario that goes on for several steps."""
    witness, manifest = answer.witness, project.manifest
    if manifest is None or manifest.scene is None or witness is None or not has_film(answer):
        return None
    events = sorted(answer.query.behavior.names & project.program.interface.events)
    step, wanted = answer.step, answer.query.period.count
    logged = sum(step <= each.time < step + wanted for each in project.trace)
    fact = project.ask(f"did {' or '.join(events)} within {logged} steps").witness
    return None if fact is None else film(scene_of(manifest), step, fact, witness)


def told_of(project: Project, answer: Answer) -> str:
    """The question and its answer, as what a film is about."""
    return f"{sentence(answer.query, project.program.interface)} {answer.verdict.value.upper()}."
