from __future__ import annotations

import json
import random
from pathlib import Path

import catboost
import pytest

from soid.engine.learned.readers.catboost_numbers import decimal, number_of
from soid.errors import ProgramError


def drawn(count: int) -> list[str]:
    """Decimals of many shapes; the library itself writes up to 17 digits."""
    choose = random.Random(4)
    found = [
        "0.1",
        "-0.19117973065021535",
        "1e-5",
        "5e-324",
        "2.2250738585072014e-308",
        "1.7976931348623157e+308",
        "-0.0",
    ]
    found += [
        "123456789012345678.5",
        "0.00000000000000000000000001",
        "9007199254740993.0",
        "1.00000000000000000000000001",
    ]
    while len(found) < count:
        digits = "".join(choose.choices("0123456789", k=choose.choice([1, 5, 16, 17, 17, 17, 20])))
        exponent = choose.choice(["", "", "", f"e{choose.randint(-330, 300)}", f"e-{choose.randint(5, 20)}"])
        found.append(f"{choose.choice(['', '-'])}{choose.choice(['0', '1', '7', '31', '4096'])}.{digits}{exponent}")
    return found


def test_decimals_are_read_as_the_library_reads_them(tmp_path: Path) -> None:
    texts = drawn(1 << 12)
    model = catboost.CatBoostRegressor(iterations=1, depth=1, verbose=0, allow_writing_files=False, thread_count=1)
    model.fit([[float(place)] for place in range(40)], [float(place % 7) for place in range(40)])
    model.save_model(str(tmp_path / "model.json"), format="json")
    document = json.loads((tmp_path / "model.json").read_bytes())
    split = document["oblivious_trees"][0]["splits"][0]
    tree = {"leaf_values": "LEAVES", "leaf_weights": [1] * len(texts), "splits": [split] * 12}
    text = json.dumps(document | {"oblivious_trees": [tree]}).replace('"LEAVES"', f"[{','.join(texts)}]")
    (tmp_path / "changed.json").write_text(text)
    changed = catboost.CatBoostRegressor().load_model(str(tmp_path / "changed.json"), format="json")
    assert changed.get_leaf_values().tolist() == [decimal(text) for text in texts]
    assert sum(decimal(text) != float(text) for text in texts) > 100


@pytest.mark.parametrize("text", ["1e400", "9" * 30 + ".5", "1.5e99999999", "123.0e307"])
def test_what_is_too_large_is_refused(text: str) -> None:
    with pytest.raises(ProgramError):
        decimal(text)


def test_an_integer_is_a_number_and_a_truth_value_is_not() -> None:
    assert number_of(3, "it") == 3.0
    for value in (True, None, "3", 2**63):
        with pytest.raises(ProgramError, match="it is not a number"):
            number_of(value, "it")
