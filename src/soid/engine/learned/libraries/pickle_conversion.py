"""A pickle or joblib file as a skops file. A pickle is a program: it runs in the jail alone, whoever wrote it."""

from __future__ import annotations

import io

import joblib


def converted(content: bytes) -> bytes:
    """Run the pickle, and write what it makes as data."""
    model = joblib.load(io.BytesIO(content))
    from soid.engine.learned.libraries import sklearn_model  # only now: it takes seconds

    return sklearn_model.written(model)
