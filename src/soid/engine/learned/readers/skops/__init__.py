"""Estimators of scikit-learn from skops files, read as data: neither skops nor scikit-learn is imported.

skops_archive       the zip archive: JSON and arrays
  saved_objects     the objects in it, looked at one attribute at a time
    pipeline_steps  what becomes of columns before the model: scalers, imputer, category_encoders
    estimators      the model itself, by its kind
"""

from __future__ import annotations

import re
from typing import Final

from soid.engine.learned.model import LearnedModel
from soid.engine.learned.readers.skops.estimators import model_of
from soid.engine.learned.readers.skops.saved_objects import opened

_FIRST_FILE: Final = re.compile(rb"PK\x03\x04.{26}(\d+\.np[yz]|schema\.json|[0-9a-f-]{36}\.bin)", re.DOTALL)


def recognises(head: bytes) -> bool:
    """A zip archive whose first file has a name that skops gives."""
    return _FIRST_FILE.match(head) is not None


def read(content: bytes) -> LearnedModel:
    """The model in a skops file."""
    return model_of(opened(content))
