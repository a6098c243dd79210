"""What NiceGUI asks about methods is answered as it would answer itself."""

from nicegui import helpers
from nicegui.helpers.functions import expects_arguments

from soid.web.nicegui_patches import patch_nicegui


class Sample:
    def none(self) -> None: ...

    def one(self, value: object) -> None: ...

    def optional(self, value: object = None, *more: object, **others: object) -> None: ...

    @classmethod
    def of_class(cls, value: object) -> None: ...

    @staticmethod
    def of_nobody() -> None: ...


def test_remembered_or_not_the_answer_is_the_same(monkeypatch):
    monkeypatch.setattr(helpers, "expects_arguments", expects_arguments)  # which is put back afterwards
    patch_nicegui()
    assert helpers.expects_arguments is not expects_arguments
    for _ in range(2):
        for sample in (Sample(), Sample()):
            for method in (
                sample.none,
                sample.one,
                sample.optional,
                sample.of_class,
                sample.of_nobody,
                len,
                lambda: None,
            ):
                assert helpers.expects_arguments(method) == expects_arguments(method), method
