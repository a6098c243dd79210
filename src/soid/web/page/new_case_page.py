"""The page that makes a case of uploaded files: files, program, variables, case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, final

from nicegui import ui

from soid.errors import SoidError
from soid.web.desk_service import DeskService
from soid.web.page import parts
from soid.web.page.case_draft import ROLES, CaseDraft, FileProblem, Found, VariableEntry
from soid.web.page.job_news import on_news
from soid.web.page.model_fields import ModelFields
from soid.web.page.told_error import in_sentences, told_error
from soid.web.upload_areas import HEADERS, LARGEST, LOGS, MODELS, SOURCES, safe_name
from soid.web.work.job import Job, JobState, Trouble

_PAUSE: Final = 0.7  # seconds without typing before the next look into the files
_MOST_ROWS: Final = 60  # variables that are listed; a search finds the others

#: the typed fields of a variable, and their labels
_SAID: Final = (("low", "From"), ("high", "To"), ("labels", "Labels"), ("unit", "Unit"), ("label", "Words"))


@final
class NewCasePage:
    """Four steps on one page."""

    def __init__(self, desk: DeskService) -> None:
        self._desk = desk
        self._new = CaseDraft(desk.begin_upload())
        self._looking: Job | None = None
        self._making: Job | None = None
        self._again = False  # something changed since the last look began
        self._search = ""
        self._rows: dict[str, _Row] = {}  # by path, in the order of the list
        said = "From a decision program, its sources or a learned model, and the log of what it perceived."
        parts.head("New case", said, parts.TO_CASES, user=desk.user)
        with parts.box("div", "main case new"):
            with parts.box("div", "column"):
                self._files_card()
                self._program_card()
            with parts.box("div", "column"):
                self._variables_card()
                self._save_card()
        self._timer = ui.timer(_PAUSE, self._look, active=False)
        ui.context.client.on_delete(self._left)
        self._show()

    def _left(self) -> None:
        """Remove the files of a closed page; a case has its own copy."""
        if self._making is None:
            self._desk.end_upload(self._new.area.id)

    # --- the cards

    def _files_card(self) -> None:
        with parts.card("1 · Files", "files"):
            programs = (
                "C or C++ sources with their headers, or a learned model (XGBoost, LightGBM, CatBoost, skops, ONNX)"
            )
            parts.text(f"{programs}; and a log as JSON lines or CSV.", "dim", tag="p")
            endings = ",".join((*SOURCES, *HEADERS, *LOGS, *MODELS))
            to = f"/api/staging/{self._new.area.id}/files"
            parts.Upload({"sent": self._sent}, to=to, accept=endings, label="Program and log", most=LARGEST)
            self._refused = parts.text("", "problem", tag="p", role="alert")
            self._files = parts.box("ul", "files")

    def _program_card(self) -> None:
        with parts.card("2 · The program and its log", "program"):
            with parts.box("div", "row") as self._functions, parts.box("label", "tick"):
                parts.text("The function that decides:")
                self._entry = parts.Field(kind="select", on_change=partial(self._say, self._new, "entry"))
            self._model = ModelFields(self._new, self._say)
            with parts.box("div", "row"):
                with parts.box("label", "tick"):
                    parts.text("The log:")
                    self._log = parts.Field(kind="select", on_change=self._chose_log)
                with parts.box("label", "tick"):
                    parts.text("the moment to begin with, step")
                    step = partial(self._say, self._new, "keyframe")
                    parts.Field(placeholder="the last", on_input=step).classes("number")
            with parts.box("div", "row"), parts.box("label", "tick"):
                parts.text("columns of the log to leave out")
                self._ignored = parts.Field(placeholder="none", on_input=partial(self._say, self._new, "ignored"))
            self._steps = parts.text("", "dim", tag="p", role="status")
            self._problem = parts.text("", "problem", tag="p", role="alert")
            self._elsewhere = parts.box("div", "places")

    def _variables_card(self) -> None:
        with parts.card("3 · What the program sees and decides", "variables"):
            self._variables_head = parts.text("", "dim", tag="p")
            self._filter = parts.Field("Search variables", kind="search", placeholder="search", on_input=self._searched)
            self._variables = parts.box("div", "scrolled")

    def _save_card(self) -> None:
        with parts.card("4 · The case", "save"):
            with parts.box("div", "row"):
                parts.Field("Title", placeholder="title of the case", on_input=self._titled)
                self._save = parts.button("Save", self._saved, "go")
            self._lacks = parts.text("", "dim", tag="p", role="status")

    # --- actions

    def _sent(self, told: Mapping[str, Any]) -> None:
        cause, remedy = str(told.get("cause", "")), str(told.get("remedy", ""))
        try:
            safe_name(str(told.get("name", "")))
        except SoidError as error:  # the browser did not send it
            cause, remedy = error.cause, error.remedy
        before = "" if told.get("first") else self._refused.text  # of the files that were chosen with this one
        self._refused.set_text(f"{before} {in_sentences(cause, remedy)}".strip() if cause else before)
        self._replaced()

    def _removed(self, name: str) -> None:
        try:
            self._new.area.remove(name)
        except SoidError as error:
            self._refused.set_text(str(told_error(error)))
        self._replaced()

    def _say(self, of: CaseDraft | VariableEntry, what: str, text: str) -> None:
        setattr(of, what, text)
        self._changed()

    def _chose_log(self, name: str) -> None:
        self._new.log = name
        self._replaced()

    def _replaced(self) -> None:
        """The files are others: what was proposed for those before does not count."""
        self._new.withdraw()
        self._rows = {}
        self._changed()

    def _titled(self, title: str) -> None:
        self._new.title = title
        self._show_state()

    def _changed(self) -> None:
        """Look into the files again, after a pause in typing."""
        self._again = True
        self._timer.deactivate()
        self._timer.activate()
        self._show()

    def _searched(self, text: str) -> None:
        self._search = text.strip().lower()
        self._list_variables()

    async def _look(self) -> None:
        self._timer.deactivate()
        if not self._again or self._looking is not None:
            return
        self._again = False
        new = self._new
        if not new.area.sources and not new.area.models:
            new.functions, new.variables = (), ()
            self._show()
            return
        self._looking = await parts.in_thread(partial(self._desk.look, new.area.id, new.declared()), self._failed)
        if self._looking is not None:
            on_news(self._looking, self._looked)
        self._show()

    async def _saved(self) -> None:
        new = self._new
        if not new.lacks and self._making is None:
            make = partial(self._desk.create_from_files, new.area.id, new.declared(), name=new.title, title=new.title)
            self._making = await parts.in_thread(make, self._failed)
            if self._making is not None:
                on_news(self._making, self._made)
            self._show()

    def _failed(self, error: SoidError | Trouble) -> None:
        self._new.failed(error.cause, error.remedy, error.places if isinstance(error, Trouble) else ())

    def _looked(self) -> None:
        looked = self._looking
        if looked is None or not looked.state.is_final:
            return
        self._looking = None
        if looked.state is JobState.DONE and looked.result is not None:
            self._new.seen(looked.result)
            if looked.result["proposed"] is not None and self._new.proposed is None:
                self._new.propose(looked.result["proposed"])
                self._rows, self._again = {}, True  # rows show what is proposed
        elif looked.error is not None:
            self._failed(looked.error)
        if self._again:
            self._timer.activate()
        self._show()

    def _made(self) -> None:
        made = self._making
        if made is None or not made.state.is_final:
            return
        if made.state is JobState.DONE and made.result is not None:
            self._desk.end_upload(self._new.area.id)  # the case has its own copy of the files
            ui.navigate.to(f"/case/{made.result['id']}")
            return
        self._making = None
        if made.error is not None:
            self._failed(made.error)
        self._show()

    # --- display

    def _show(self) -> None:
        new = self._new
        self._list_files()
        self._entry.set("options", [("", "choose …"), *((name, f"{name}()") for name in new.functions)])
        self._entry.set("value", new.entry if new.entry in new.functions else "")
        self._functions.set_visibility(not new.is_model)
        self._model.show()
        self._ignored.set("value", new.ignored)
        self._log.set("options", [(name, name) for name in new.area.logs])
        self._log.set("value", new.log or next(iter(new.area.logs), ""))
        self._list_variables()
        self._show_state()

    def _show_state(self) -> None:
        new = self._new
        busy = "reading the program …" if self._looking is not None else ""
        self._steps.set_text(busy or (f"The log fits the program: {new.steps}." if new.steps else ""))
        self._problem.set_text(new.refused)
        lacks = "" if self._making is not None else new.lacks
        self._lacks.set_text("making the case …" if self._making is not None else lacks)
        ready = not lacks and self._looking is None and self._making is None and not self._again
        parts.attribute(self._save, "disabled", None if ready else True)

    def _list_files(self) -> None:
        new = self._new
        self._files.clear()
        with self._files:
            for name, size in new.area.files.items():
                with parts.box("li"):
                    given = new.area.given.get(name, name)
                    parts.text(given, tag="b")
                    kept = f", here as {name}" if given != name else ""
                    parts.text(f"{size:,} bytes".replace(",", " ") + kept, "dim")
                    parts.button("Remove", partial(self._removed, name), "small", aria_label=f"Remove {name}")
                    _places([place for place in new.places if place.file == name])
        self._elsewhere.clear()
        with self._elsewhere:
            _places([place for place in new.places if place.file not in new.area.files])

    def _list_variables(self) -> None:
        new = self._new
        wanted = [each for each in new.variables if self._search in each["path"].lower()]
        self._filter.set_visibility(len(new.variables) > 8)
        if not new.variables:
            first = "Upload the program" if new.is_model or not new.area.sources else "Choose the function that decides"
            self._variables_head.set_text(f"{first}: then its variables are listed here.")
        elif len(wanted) > _MOST_ROWS:
            self._variables_head.set_text(f"{_MOST_ROWS} of {len(wanted)} variables; search for the others.")
        else:
            self._variables_head.set_text("What is left empty stays as it was found in the program.")
        listed = wanted[:_MOST_ROWS]
        if tuple(each["path"] for each in listed) != tuple(self._rows):  # the rows keep the keyboard if the list stays
            self._rows = {}
            self._variables.clear()
            with self._variables:
                self._table(listed)
        wrong = {**self._wrong_in_log(), **new.problems}
        for each in listed:
            self._rows[each["path"]].tell(each, wrong.get(each["path"], ""))

    def _wrong_in_log(self) -> dict[str, str]:
        return {
            place.variable: f"line {place.line} of the log: {place.words.removeprefix(f'{place.variable}: ')}"
            for place in self._new.places
            if place.variable
        }

    def _table(self, variables: list[Found]) -> None:
        with parts.box("table", "declared"):
            with parts.box("thead"), parts.box("tr"):
                for heading in ("variable", "role", "from", "to", "labels", "unit", "in words"):
                    parts.text(heading, tag="th", scope="col")
            with parts.box("tbody"):
                for each in variables:
                    self._rows[each["path"]] = _Row(each, self._new.of(each["path"]), self._say)


@final
class _Row:
    """A variable: what was found, and its declaration."""

    def __init__(self, found: Found, said: VariableEntry, say: Callable[[VariableEntry, str, str], None]) -> None:
        path = found["path"]
        with parts.box("tr") as self._row:
            with parts.box("th", scope="row"):
                parts.text(path, "query")
                self._found = parts.text("", "dim")
                self._wrong = parts.text("", "problem", tag="p", role="alert")
            with parts.box("td"):
                roles = [(role, role) for role in dict.fromkeys((found["role"], *ROLES))]
                role, chosen = said.role or found["role"], partial(say, said, "role")
                parts.Field(f"Role of {path}", kind="select", value=role, options=roles, on_change=chosen)
            for what, name in _SAID:
                with parts.box("td"):
                    hint = "NONE = 0, …" if what == "labels" else ""
                    typed = partial(say, said, what)
                    parts.Field(f"{name} of {path}", value=getattr(said, what), placeholder=hint, on_input=typed)

    def tell(self, found: Found, wrong: str) -> None:
        self._found.set_text(f" {found['type']}: {found['domain']}")
        self._wrong.set_text(wrong)
        self._wrong.set_visibility(bool(wrong))
        self._row.classes(add="wrong" if wrong else "", remove="" if wrong else "wrong")


def _places(places: list[FileProblem]) -> None:
    if not places:
        return
    with parts.box("div", "places"):
        for place in places:
            with parts.box("div"):
                about = f"{place.variable}: " if place.variable and not place.words.startswith(place.variable) else ""
                parts.text(f"{place.file}, line {place.line}: {about}{place.words}", "problem", tag="p")
                if place.source.strip():
                    parts.text(place.source, tag="code")
