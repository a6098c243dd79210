"""`soid init`: propose a soid.toml for a folder with a program and a log, try it out, and write it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import Final, TypeVar

from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli.command_line.project_options import InitOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.exits import VERDICTS
from soid.cli.output import print_json, write_file
from soid.cli.terminal.choices import Chooser
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.proposal_panel import show_proposal
from soid.cli.terminal.terminal import Terminal
from soid.errors import ManifestError, TraceError
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.program.manifest import FILE_NAME
from soid.proposal.column_doubt import Doubt, ProposedReading, fit_words
from soid.proposal.entry_candidates import EntryCandidate
from soid.proposal.gathered_project import Gathered, gather, refuse_unfit
from soid.proposal.project_files import NamedFiles
from soid.proposal.proposal import Proposal, questioned
from soid.proposal.proposal_document import proposal_document
from soid.proposal.proposer import Proposer
from soid.solver.chain import chain

T = TypeVar("T")

_OTHERS: Final = 3  # functions that the manifest names beside the one that it takes
_MANY: Final = 8  # doubts that a person may be asked about one by one
_NEAR: Final = 0.4  # two candidates whose scores differ by less are both possible


def init(options: InitOptions) -> int:
    """Write a soid.toml; the exit status tells whether the log can be read with it, and fits the program."""
    if options.folder.is_file():
        options = replace(options, folder=options.folder.parent, sources=(options.folder, *options.sources))
    file = options.folder / FILE_NAME
    _refuse_existing(file, force=options.force)
    chooser = Chooser(takes_best=options.yes, may_ask=not options.as_json)
    proposal = _proposed(options, chooser)
    _refuse_existing(file, force=options.force)
    write_file(file, proposal.draft.text, error=ManifestError)
    if proposal.can_be_asked:  # what was found worth asking is written too
        # where the program was not run over the log, the log may be one that cannot be read, either
        with nullcontext() if proposal.problem is None else suppress(TraceError):
            proposal = _questioned(proposal, file, settings_of(options))
            write_file(file, proposal.draft.text, error=ManifestError)
    guesses = (*chooser.guesses, *proposal.guesses)
    document = proposal_document(proposal, str(file), guesses, ask_command(options.folder))
    if options.as_json:
        print_json(document)
    else:
        show_proposal(Terminal.stdout(), document)
    if proposal.problem is not None:
        return proposal.problem.exit_code
    run = proposal.run
    return VERDICTS["error"] if run is not None and run.compared and not run.agreeing else 0


def _questioned(proposal: Proposal, file: Path, settings: Settings) -> Proposal:
    with closing(chain()) as solver:

        def choose(cancel: Cancellation, report: Report) -> Proposal:
            project = Project.open(file, settings=settings, solver=solver, cancel=cancel, progress=report)
            report(QuestionProgress("looking for questions worth asking"))
            with settings.opening(cancel):
                return questioned(proposal, project)

        return watched(choose)


def _refuse_existing(file: Path, *, force: bool) -> None:
    if os.path.lexists(file) and not force:
        remedy = "`soid inspect` shows what it says. To write a new one in its place, add --force."
        raise ManifestError(f"{file} is there already", remedy)


def ask_command(folder: Path) -> str:
    """What is typed before a question about the project."""
    here = folder.resolve() == Path.cwd().resolve()
    return "soid ask" if here else f"soid ask -p {shlex.quote(str(folder))}"


def _proposed(options: InitOptions, chooser: Chooser) -> Proposal:
    settings = settings_of(options)
    named = NamedFiles(options.sources, options.log, options.include, options.define, options.unpickle)
    gathered = _watched(settings, lambda: gather(options.folder, named, options.entry, options.topic))
    ranked = gathered.ranked
    candidate = _chosen_candidate(gathered, ranked, chooser)
    refuse_unfit(gathered, candidate)
    same_log = [each for each in ranked if each.survey is candidate.survey and each is not candidate]
    others = [each.function.entry or each.named for each in same_log[:_OTHERS]]
    proposer = Proposer(gathered, candidate, others, options.topic)
    doubts = _watched(settings, proposer.doubted, "running the program over the log")
    reading, confirmed, tested = _settled(candidate, doubts, chooser)
    return _watched(settings, lambda: proposer.finished(reading, confirmed, tested), "running the program over the log")


def _watched(settings: Settings, do: Callable[[], T], stage: str = "program") -> T:
    def work(cancel: Cancellation, report: Report) -> T:
        report(QuestionProgress(stage))
        with settings.opening(cancel):
            return do()

    return watched(work, seconds=settings.opening_seconds)


def _chosen_candidate(gathered: Gathered, ranked: Sequence[EntryCandidate], chooser: Chooser) -> EntryCandidate:
    """The log and the function, asked for where several come near."""
    best = ranked[0]
    near = [each for each in ranked if each.score >= best.score - _NEAR]
    logs = list({id(each.survey): each.survey for each in near}.values())
    if len(logs) > 1:
        names = [str(gathered.name_of(survey)) for survey in logs]
        taken = logs[chooser.choose("several logs fit the program (--log names one)", names)]
        near = [each for each in near if each.survey is taken]
    if len(near) > 1:
        names = [f"{each.named}, which fits {len(each.matches)} columns" for each in near]
        kinds = dict.fromkeys("programs" if not each.function.name else "functions" for each in near)
        words = (
            f"several {' and '.join(kinds)} may be the one that decides (--entry names a function, --source a program)"
        )
        return near[chooser.choose(words, names)]
    return near[0]


def _settled(
    candidate: EntryCandidate, doubts: Sequence[Doubt], chooser: Chooser
) -> tuple[ProposedReading, frozenset[str], dict[str, str]]:
    """How the log is read, what a person has chosen of it, and what running the program said of the rest."""
    reading, confirmed, tested = ProposedReading(candidate.matches), set[str](), dict[str, str]()
    takes_best = _takes_all([doubt for doubt in doubts if not doubt.is_settled], chooser)
    for doubt in doubts:
        at = 0
        if doubt.is_settled or takes_best:
            chooser.guesses.append(f"{doubt.words}; taken: {doubt.choices[0].words}; {doubt.tested}".rstrip("; "))
        else:
            words = [" - ".join(filter(None, (each.words, fit_words(each)))) for each in doubt.choices]
            at = chooser.choose(doubt.words, words)
        choice = doubt.choices[at]
        reading = reading.with_choice(doubt.column, choice)
        if choice.about is not None:
            tested[choice.about] = doubt.tested
            confirmed |= {choice.about} if chooser.asks and not (doubt.is_settled or takes_best) else set()
    return reading, frozenset(confirmed), tested


def _takes_all(doubts: Sequence[Doubt], chooser: Chooser) -> bool:
    """Whether the best guesses are taken for all of many doubts; a person need not go through them."""
    if len(doubts) <= _MANY or not chooser.asks:
        return False
    words = f"{len(doubts)} columns are not certain; each is marked in the soid.toml if it is guessed"
    return chooser.choose(words, ["take the best guess for all of them", "ask about each"]) == 0
