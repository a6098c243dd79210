"""Pickles are recognised, and never loaded."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import zlib
from pathlib import Path

import joblib
import pytest
from sklearn.tree import DecisionTreeClassifier

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers import pickle_file, skops
from tests.unit.engine.learned.readers.sklearn_models import MATRIX, TREES, TWO, trained


class Hostile:
    """Would make a file if it were loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("protocol", range(6))
def test_pickles_are_recognised_in_every_protocol(protocol: int) -> None:
    model = DecisionTreeClassifier(max_depth=2).fit(MATRIX, TWO)
    assert pickle_file.recognises(pickle.dumps(model, protocol)[:4096])


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("bz2", 3), ("lzma", 3), ("xz", 3)])
def test_files_of_joblib_are_recognised(compress: object) -> None:
    made = io.BytesIO()
    joblib.dump(DecisionTreeClassifier(max_depth=2).fit(MATRIX, TWO), made, compress=compress)
    assert pickle_file.recognises(made.getvalue()[:4096])


def test_other_files_are_not() -> None:
    others = [
        b"",
        b"{}",
        b"tree\nversion=v4\n",
        b"cost\nname\n",
        b"x,y\n1,2\n",
        trained(TREES["DecisionTreeClassifier"])[1],
    ]
    others += [pack(b'{"learner": {}}') for pack in (gzip.compress, bz2.compress, lzma.compress, zlib.compress)]
    others += [b"\x1f\x8b\x00", b"BZh9", b"\xfd7zXZ\x00"]
    assert [each for each in others if pickle_file.recognises(each[:4096])] == []


def test_a_pickle_is_refused_and_not_loaded(tmp_path: Path) -> None:
    content = pickle.dumps(Hostile(tmp_path / "made"))
    assert pickle_file.recognises(content) and not skops.recognises(content)
    with pytest.raises(ModelRefused, match=r"pickle(.|\n)*skops\.io\.dump\(model, 'model\.skops'\)"):
        pickle_file.read(content)
    assert not (tmp_path / "made").exists()
