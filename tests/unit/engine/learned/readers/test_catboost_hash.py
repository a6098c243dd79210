from __future__ import annotations

import json
import random
from pathlib import Path

import catboost
import pandas

from soid.engine.learned.readers.catboost_hash import category_code


def test_the_hash_of_a_text_of_any_length_is_the_library_s(tmp_path: Path) -> None:
    choose = random.Random(1)
    texts = ["".join(choose.choices("abcXYZ äß€😀 0123", k=length)) for length in range(200)]
    count = len(texts)
    pool = catboost.Pool(
        pandas.DataFrame({"text": texts, "number": range(count)}),
        [place % 2 for place in range(count)],
        cat_features=[0],
    )
    model = catboost.CatBoostClassifier(
        iterations=1, depth=1, verbose=0, allow_writing_files=False, one_hot_max_size=255, thread_count=1
    )
    model.fit(pool).save_model(str(tmp_path / "model.json"), format="json", pool=pool)
    listed = json.loads((tmp_path / "model.json").read_bytes())["features_info"]["cat_features_hash"]
    assert len(listed) == count
    assert [category_code(each["value"]) for each in listed] == [each["hash"] for each in listed]
