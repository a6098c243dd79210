"""A page as a reader's browser has it: elements, their attributes and texts; what is not closed in order is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

EMPTY = frozenset({"br", "meta"})


@dataclass
class Element:
    name: str
    attributes: dict[str, str | None]
    content: list[Element | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        """It and all below it."""
        yield self
        for each in self.content:
            if isinstance(each, Element):
                yield from each

    def all(self, *names: str) -> list[Element]:
        return [each for each in self if each.name in names]

    def of_class(self, word: str) -> list[Element]:
        return [each for each in self if word in (each.attributes.get("class") or "").split()]

    def named(self, identity: str) -> Element:
        (found,) = [each for each in self if each.attributes.get("id") == identity]
        return found

    @property
    def raw(self) -> str:
        return "".join(each if isinstance(each, str) else each.raw for each in self.content)

    @property
    def text(self) -> str:
        """What is read there, blanks made one."""
        return " ".join(self.raw.split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice: {tag} {attrs}"
        element = Element(tag, dict(attrs))
        self.open[-1].content.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].content.append(Element(tag, dict(attrs)))  # in the drawings, which are XML

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> ends <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read(page: str) -> Element:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root], [each.name for each in reader.open]
    return reader.root
