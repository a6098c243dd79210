"""Signatures that NiceGUI looks up, remembered: a third of what it takes to make a page.

For each of three collections that every element has, NiceGUI asks whether the method that hears of changes takes an
argument, by taking the method's signature apart. Whether it does depends on the function alone, not on the element that
it is bound to, and there are few such functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import MethodType
from typing import Any

from nicegui import helpers

_asked = helpers.expects_arguments


def remember_signatures() -> None:
    """Have NiceGUI remember what it has found out about methods."""
    helpers.expects_arguments = _remembered


def _remembered(func: Callable[..., Any]) -> bool:
    return _of_method(func.__func__) if isinstance(func, MethodType) else _asked(func)


@cache
def _of_method(function: Callable[..., Any]) -> bool:
    """Whether a method expects an argument, by the function that it is made of: bound to anything, it is the same."""
    return _asked(MethodType(function, object()))
