"""The desk service: the operations of one user on a desk, each with the role that it needs.

API and pages have nothing else of the desk, so nothing is done there for a user who may not do it.
"""

from __future__ import annotations

from pathlib import Path
from typing import final

from soid.case.custody.signatures import fingerprint_in
from soid.case.deletion import DeletedCase
from soid.examples.simulation import Setup, SimulatedCourse, Simulation, check
from soid.web.bundle_shelf import UploadedBundle
from soid.web.case_service import CaseService, cancel
from soid.web.desk import CaseCard, Desk
from soid.web.log_shelf import LogShelf
from soid.web.upload_areas import Area, Staging
from soid.web.upload_manifest import UploadManifest
from soid.web.user import User, UserRole, needs
from soid.web.work.job import Job


@final
class DeskService:
    """A desk, for one user. Every method may be called from any thread."""

    def __init__(self, desk: Desk, user: User) -> None:
        self.user = user
        self._desk = desk

    @property
    def shelf(self) -> LogShelf:
        return self._desk.shelf

    # --- cases

    @needs(UserRole.READ)
    def cases(self) -> tuple[CaseCard, ...]:
        """All cases, the last changed one first."""
        return self._desk.cases()

    @needs(UserRole.READ)
    def open(self, case_id: str) -> CaseService:
        return self._desk.open(case_id, self.user)

    @needs(UserRole.ASK)
    def create(self, project: Path, *, name: str, title: str = "") -> Job:
        return self._desk.create(project, name=name, title=title, who=self.user.author)

    @needs(UserRole.ASK)
    def create_from_example(self, example: str, *, name: str = "", title: str = "") -> Job:
        return self._desk.create_from_example(example, name=name, title=title, who=self.user.author)

    @needs(UserRole.ASK)
    def simulate(self, simulation: Simulation, setup: Setup, *, title: str = "") -> Job:
        return self._desk.simulate(simulation, setup, title=title, who=self.user.author)

    @needs(UserRole.READ)
    def course(self, simulation: Simulation, setup: Setup) -> SimulatedCourse:
        """A run step by step; nothing is kept of it."""
        check(simulation, setup)
        return simulation.course(setup)

    # --- uploaded files

    @needs(UserRole.ASK)
    def begin_upload(self) -> Area:
        """An empty area for the files of a new case."""
        return self._staging.begin(self.user.author)

    @needs(UserRole.ASK)
    def area(self, area_id: str) -> Area:
        return self._staging.area(area_id)

    @needs(UserRole.ASK)
    def end_upload(self, area_id: str) -> None:
        """Delete the files of an area."""
        self._staging.end(area_id)

    @needs(UserRole.ASK)
    def look(self, area_id: str, declared: UploadManifest) -> Job:
        return self._desk.look(area_id, declared, who=self.user.author)

    @needs(UserRole.ASK)
    def create_from_files(self, area_id: str, declared: UploadManifest, *, name: str, title: str = "") -> Job:
        return self._desk.create_from_files(area_id, declared, name=name, title=title, who=self.user.author)

    @needs(UserRole.ASK)
    def delete(self, case_id: str, typed: str) -> DeletedCase:
        """Delete a case; what was typed must be its name."""
        return self._desk.delete(case_id, typed, who=self.user.author)

    @needs(UserRole.READ)
    def deleted(self) -> tuple[DeletedCase, ...]:
        """What was deleted, by whom and when."""
        return self._desk.deleted()

    # --- bundles

    @needs(UserRole.ASK)
    def keep_bundle(self, name: str, data: bytes) -> UploadedBundle:
        """Keep an uploaded bundle for a while."""
        return self._desk.bundles.put(name, data)

    @needs(UserRole.ASK)
    def end_bundle(self, bundle_id: str) -> None:
        self._desk.bundles.end(bundle_id)

    @needs(UserRole.ASK)
    def verify(self, bundle_id: str, *, key: str | None = None) -> Job:
        """Verify an uploaded bundle; `key` is the fingerprint of the one that must have signed it."""
        return self._desk.verify(bundle_id, key=None if key is None else fingerprint_in(key), who=self.user.author)

    @needs(UserRole.ASK)
    def restore(self, bundle_id: str, *, name: str = "") -> Job:
        """Make a case of an uploaded bundle."""
        return self._desk.restore(bundle_id, name=name, who=self.user.author)

    # --- work

    @needs(UserRole.READ)
    def jobs(self, case_id: str | None = None) -> tuple[Job, ...]:
        return self._desk.jobs(case_id)

    @needs(UserRole.READ)
    def job(self, job_id: str) -> Job:
        return self._desk.job(job_id)

    @needs(UserRole.READ)
    def cancel(self, job: Job) -> None:
        cancel(job, self.user)

    @property
    def _staging(self) -> Staging:
        return self._desk.staging
