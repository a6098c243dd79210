"""The Desk: a folder of cases, and the workers that answer questions about them. It knows no web framework.

What users may do with it is in `desk_service.py` and `case_service.py`.

>>> import tempfile
>>> from soid.examples import folder
>>> scratch = tempfile.TemporaryDirectory()
>>> with Desk(Path(scratch.name), cores=1) as desk:
...     made = desk.create(folder("microwave"), name="oven", title="The oven", who="ada")
...     made.wait(), desk.cases()[0].id
...     service = desk.open("oven", User("ada"))
...     job = service.ask("might action == CANCEL if heat is anything")
...     job.wait(), job.state.value, job.result["answer"]["verdict"], len(service.case.entries)
(True, 'oven')
(True, 'done', 'yes', 3)
>>> scratch.cleanup()
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self, final

from msgspec import Struct
from msgspec.structs import replace

from soid import examples
from soid.budget import usable_cores
from soid.case import validity
from soid.case.case import Case, default_user
from soid.case.deletion import DeletedCase, called, delete, deleted_in
from soid.case.numbered_facts import numbered_facts
from soid.case.record.entry import Entry
from soid.case.record.record import Record
from soid.errors import CaseError, InputError, NotOnDesk, SoidError
from soid.examples.simulation import Setup, Simulation, check
from soid.oracle.inquiry import Settings
from soid.web.bundle_shelf import BundleShelf
from soid.web.case_service import CaseService
from soid.web.log_shelf import LogShelf
from soid.web.upload_areas import Area, Staging
from soid.web.upload_manifest import UploadManifest
from soid.web.user import User
from soid.web.work.job import Job
from soid.web.work.pool import Pool
from soid.web.work.tasks import (
    CreateTask,
    DeskTask,
    DriveTask,
    LookTask,
    MakeTask,
    RestoreTask,
    VerifyTask,
    kind_of,
)

SUFFIX: Final = ".case"
STAGED_SECONDS: Final = 90.0  # that work on uploaded files may take
VERIFY_SECONDS: Final = 3600.0  # that verifying a bundle may take
_KEPT_OPEN: Final = 32  # cases
_KEPT_JOBS: Final = 300  # that have ended
_UNNAMED: Final = Path()  # the file of a case until a free name is chosen for it


_NewCaseTask = CreateTask | DriveTask | MakeTask | RestoreTask


@final
class CaseCard(Struct, frozen=True):
    """A case in the list of cases."""

    id: str
    title: str
    program: str
    entries: int
    facts: int
    changed: float  # when, in seconds since 1970
    name: str  # what must be typed to delete it
    archived: bool = False
    problem: str = ""  # why it cannot be opened; empty if it can


@final
class Desk:
    """Cases and workers; a context manager that ends the workers."""

    def __init__(
        self,
        folder: Path,
        *,
        cores: int | None = None,
        settings: Settings | None = None,
        may_work: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`folder` is a folder of case files, or one case file; new cases are put beside it.

        `may_work` says whether what an author has asked for may go on: not after their token was revoked.
        """
        self.folder = folder if folder.is_dir() else folder.parent
        self._only = None if folder.is_dir() else {folder.resolve()}
        workers = cores or usable_cores()
        chosen = settings or Settings()
        if chosen.cores is None:  # each question's share if all workers are busy
            chosen = replace(chosen, cores=max(1, usable_cores() // workers))
        self._pool = Pool(workers, chosen, may_work=may_work)
        self._scratch = tempfile.TemporaryDirectory(prefix="soid-desk-")
        self.staging = Staging(Path(self._scratch.name) / "staging")
        self.bundles = BundleShelf(Path(self._scratch.name) / "bundles")
        self.shelf = LogShelf()
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Case] = OrderedDict()
        self._listing = threading.Lock()
        self._listed: dict[Path, Record] = {}
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._being_made: set[Path] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel all jobs and end the workers. Every answer is on the disk already."""
        self._pool.close()
        with self._lock:
            for shared in self._open.values():
                shared.close()
            self._open.clear()
        self._scratch.cleanup()

    # --- cases

    def cases(self) -> tuple[CaseCard, ...]:
        """All cases, the last changed one first."""
        cards = [self._card(case_id, file) for case_id, file in self._files().items()]
        return tuple(sorted(cards, key=lambda card: (-card.changed, card.id)))

    def open(self, case_id: str, user: User) -> CaseService:
        """Open a case for one user."""
        return CaseService(case_id, self._shared(case_id), user, self.do)

    def create(self, project: Path, *, name: str, title: str = "", who: str = "") -> Job:
        """Create a case on a project; the job's result has its `id`."""
        return self._new_case(name, CreateTask(_UNNAMED, who, title, project))

    def create_from_example(self, example: str, *, name: str = "", title: str = "", who: str = "") -> Job:
        return self.create(examples.folder(example), name=name or example, title=title, who=who)

    def simulate(self, simulation: Simulation, setup: Setup, *, title: str = "", who: str = "") -> Job:
        """Run an example's world and create a case on the run; the job's result has its `id`."""
        check(simulation, setup)
        name = simulation.case_name(setup)
        title = title or name.capitalize()
        return self._new_case(name, DriveTask(_UNNAMED, who, title, simulation.example, setup))

    def look(self, area_id: str, declared: UploadManifest, *, who: str = "") -> Job:
        """Inspect uploaded files; the job's result has `functions`, `variables`, `log` and `log_problem`."""
        task = self._uploaded(self.staging.area(area_id), "program", declared)
        return self.do(Job(kind_of(task), who=who), task, seconds=STAGED_SECONDS)

    def create_from_files(
        self, area_id: str, declared: UploadManifest, *, name: str, title: str = "", who: str = ""
    ) -> Job:
        """Create a case on uploaded files; the job's result has its `id`."""
        area = self.staging.area(area_id)
        if not (declared.log or area.logs):
            raise InputError("there is no log among the files", "Upload what the program perceived, step by step.")
        files = self._uploaded(area, slug(name), declared)
        return self._new_case(name, MakeTask(_UNNAMED, who, title or name, files), seconds=STAGED_SECONDS)

    def delete(self, case_id: str, typed: str, *, who: str) -> DeletedCase:
        """Delete a case whose name was typed; what is under way for it is cancelled, and a trace stays."""
        file = self._file(case_id)
        gone = delete(file, typed, who=who)
        for job in self.jobs(case_id):
            job.cancel()
        with self._lock:
            shared = self._open.pop(case_id, None)
        if shared is not None:
            shared.close()
        return gone

    def deleted(self) -> tuple[DeletedCase, ...]:
        """What was deleted in the folder, the last one first."""
        return deleted_in(self.folder)

    # --- bundles

    def verify(self, bundle_id: str, *, key: str | None = None, who: str = "") -> Job:
        """Verify an uploaded bundle; the job's result is that of `soid verify --json`, its file the page for people."""
        bundle = self.bundles.bundle(bundle_id)
        task = VerifyTask(bundle.file, bundle.name, key)
        return self.do(Job(kind_of(task), who=who), task, f"{slug(bundle.name)}-verified.html", seconds=VERIFY_SECONDS)

    def restore(self, bundle_id: str, *, name: str = "", who: str = "") -> Job:
        """Make a case of an uploaded bundle; the job's result has its `id`."""
        bundle = self.bundles.bundle(bundle_id)
        task = RestoreTask(_UNNAMED, who, bundle.file, bundle.name)
        return self._new_case(name or Path(bundle.name).stem, task, seconds=STAGED_SECONDS)

    # --- work

    def warm_up(self) -> None:
        """Start a worker before the first question: it takes a second to load its modules.

        And read the case that was changed last, which is most likely the first to be opened: its log may be long.
        """
        self._pool.warm_up()
        threading.Thread(target=self._read_last, name="read-ahead", daemon=True).start()

    def do(self, job: Job, task: DeskTask, writes: str | None = None, *, seconds: float | None = None) -> Job:
        """Give a task to a worker; `writes` names the file that it makes, `seconds` is the most that it may take."""
        file = None
        if writes is not None:
            place = Path(self._scratch.name) / job.id
            place.mkdir()
            file = place / writes
            task = replace(task, to=file)
        with self._lock:
            self._jobs[job.id] = job
            self._forget_old()
        try:
            self._pool.put(job, task, seconds=seconds, file=file)
        except SoidError:
            with self._lock:
                self._jobs.pop(job.id, None)
            raise
        return job

    def jobs(self, case_id: str | None = None) -> tuple[Job, ...]:
        """All known jobs, or those about one case, oldest first."""
        with self._lock:
            known = tuple(self._jobs.values())
        return tuple(job for job in known if case_id is None or job.case == case_id)

    def job(self, job_id: str) -> Job:
        with self._lock:
            found = self._jobs.get(job_id)
        if found is None:
            raise NotOnDesk(f"there is no piece of work {job_id}", "It may be over since long: look at the record.")
        return found

    # --- inside

    def _read_last(self) -> None:
        """Open the case that was changed last."""
        last = next((card.id for card in self.cases() if not card.problem and not card.archived), None)
        if last is not None:
            with suppress(SoidError):  # the error comes again, and is told, when a user opens the case
                self._shared(last).project_at()

    def _new_case(self, name: str, task: _NewCaseTask, *, seconds: float | None = None) -> Job:
        """Create a case under a person's name, in a file that no existing case and no other job uses."""
        with self._lock:
            file = self._free(slug(name))
            self._being_made.add(file)
            if self._only is not None:
                self._only.add(file.resolve())

        def over(one: Job) -> None:
            if one.state.is_final:
                self._being_made.discard(file)

        task = replace(task, file=file, who=task.who.strip() or default_user())
        job = Job(kind_of(task), who=task.who)
        job.subscribe(over)
        try:
            return self.do(job, task, seconds=seconds)
        except SoidError:
            self._being_made.discard(file)
            raise

    def _free(self, stem: str) -> Path:
        """The file of a new case; if its name is taken it gets a number.

        The name of a case that was deleted stays taken: a link to one of its facts, and a page that is still open on
        it, must not lead to another case.
        """
        files = (self.folder / f"{stem}{end}{SUFFIX}" for end in ("", *(f"-{number}" for number in range(2, 10_000))))
        taken = self._being_made | {self.folder / gone.file for gone in self.deleted()}
        free = next((file for file in files if file not in taken and not file.exists()), None)
        if free is None:
            raise CaseError(f"there are too many cases called {stem}", "Choose another name.")
        return free

    def _uploaded(self, area: Area, name: str, declared: UploadManifest) -> LookTask:
        """Uploaded files with their declaration; by default all sources, or else the model, and the first log."""
        for file in (*declared.sources, declared.log, declared.model):
            if file is not None and file not in area.files:
                raise NotOnDesk(f"there is no file {file}", "The list of files has those that there are.")
        complete = replace(declared, log=declared.log or next(iter(area.logs), None))
        if declared.model is None:
            complete = replace(complete, sources=declared.sources or area.sources)
        if declared.model is None and not complete.sources:
            models = area.models
            if not models:
                endings = ".c, .cc, .cpp or .cxx, or a learned model: .json, .ubj, .txt, .skops or .onnx"
                raise InputError("there is no program among the files", f"Upload it: {endings}.")
            if len(models) > 1:
                raise InputError(f"there are several models: {', '.join(models)}", "Leave all but one out.")
            complete = replace(complete, model=models[0])
        return LookTask(area.folder, name, complete, area.renamed)

    def _forget_old(self) -> None:
        """Remove the oldest jobs that have ended, and their files."""
        ended = [job for job in self._jobs.values() if job.state.is_final]
        for job in ended[: max(0, len(self._jobs) - _KEPT_JOBS)]:
            del self._jobs[job.id]
            if job.file is not None:
                job.file.unlink(missing_ok=True)

    def _files(self) -> dict[str, Path]:
        """The case files by their ids. An id is only looked up here, never turned into a path."""
        files = [file for file in sorted(self.folder.glob(f"*{SUFFIX}")) if file.is_file()]
        return {id_of(file): file for file in files if self._only is None or file.resolve() in self._only}

    def _file(self, case_id: str) -> Path:
        file = self._files().get(case_id)
        if file is None:
            raise NotOnDesk(f"there is no case {case_id}", "The list of cases has those that there are.")
        return file

    def _card(self, case_id: str, file: Path) -> CaseCard:
        try:
            changed = file.stat().st_mtime
        except OSError as error:
            return CaseCard(case_id, file.stem, "", 0, 0, 0.0, file.stem, problem=error.strerror or str(error))
        try:
            entries = self._entries(file)
        except SoidError as error:
            return CaseCard(case_id, file.stem, "", 0, 0, changed, file.stem, problem=error.cause)
        title, program = validity.title(entries), str(entries[0].payload["program"])
        facts, archived = len(numbered_facts(entries)), validity.archived(entries) is not None
        name = called(entries, file)
        return CaseCard(case_id, title or program, program, len(entries), facts, changed, name, archived)

    def _entries(self, file: Path) -> tuple[Entry, ...]:
        """The entries of a listed case; its record is kept, and reads only what is new."""
        with self._listing:
            record = self._listed.pop(file, None)
            if record is None or not record.is_current:
                record = Record(file, read_only=True)
            entries = record.entries
            self._listed[file] = record
            return entries

    def _shared(self, case_id: str) -> Case:
        """The open case, which all services share; opened outside of the lock, because opening may wait."""
        file = self._file(case_id)
        with self._lock:
            known = self._open.get(case_id)
        if known is not None and known.record.file == file and known.record.is_current:
            return known
        opened = Case.open(file)
        with self._lock:
            if self._open.get(case_id) not in (None, known):  # another thread was quicker
                opened.close()
                return self._open[case_id]
            if known is not None:
                known.close()
            self._open[case_id] = opened
            self._open.move_to_end(case_id)
            while len(self._open) > _KEPT_OPEN:
                self._open.popitem(last=False)[1].close()
        return opened


def slug(name: str) -> str:
    """A name that is safe in an address and as a file's name.

    >>> slug("The oven, 2nd case"), slug("../../etc/passwd"), slug("  "), slug("CON" * 99)[:6]
    ('The-oven-2nd-case', 'etc-passwd', 'case', 'CONCON')
    """
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
    return plain[:60].strip("-") or "case"


def id_of(file: Path) -> str:
    """A case's id: its file's name if that is safe, else the safe part of it with digits of a hash.

    >>> id_of(Path("oven.case")), id_of(Path("The oven.case"))
    ('oven', 'The-oven-aa70b2')
    """
    safe = slug(file.stem)
    return safe if safe == file.stem else f"{safe}-{hashlib.sha256(os.fsencode(file.stem)).hexdigest()[:6]}"
