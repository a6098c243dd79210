"""How each library is called on rows, as the text of a Python function: part of a test that runs without soid.

`predicted` gives the class of each row, and numbers: one for each row, or a column for each class.
"""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct


@final
class LibraryCall(Struct, frozen=True):
    """The text of a call."""

    packages: tuple[str, ...]  # that it imports, besides numpy
    predicted: str


_XGBOOST: Final = """def predicted():
    booster = xgboost.Booster({"nthread": 1})
    booster.load_model(str(MODEL))
    names, kinds = booster.feature_names, booster.feature_types
    rows = numpy.array(ROWS)
    data = xgboost.DMatrix(rows, missing=math.nan, feature_names=names, feature_types=kinds, enable_categorical=True)
    if IN_PLACE:  # as scikit-learn's wrapper, which has saved the file: it rounds the trees of dart otherwise
        scores, given = (
            booster.inplace_predict(rows, predict_type=kind, iteration_range=ROUNDS, validate_features=False)
            for kind in ("margin", "value")
        )
    else:
        scores = booster.predict(data, output_margin=True, iteration_range=ROUNDS)
        given = booster.predict(data, iteration_range=ROUNDS)
    if not CLASSES:
        return None, {"value": given, "score": scores}
    if given.ndim == 1 and len(CLASSES) > 2:  # multi:softmax gives the class itself
        return [CLASSES[int(each)] for each in given], {"score": scores}
    chosen = given.argmax(axis=1) if given.ndim == 2 else (given > 0.5).astype(int)
    return [CLASSES[each] for each in chosen], {"score": scores, "probability": given}
"""

_LIGHTGBM: Final = """def predicted():
    booster = lightgbm.Booster(model_file=str(MODEL))
    rows = numpy.array(ROWS)
    scores = booster.predict(rows, raw_score=True, num_threads=1)
    given = booster.predict(rows, num_threads=1)
    if not CLASSES:
        return None, {"value": given, "score": scores}
    shares = given if given.ndim == 2 else numpy.column_stack((1.0 - given, given))
    return [CLASSES[each] for each in shares.argmax(axis=1)], {"score": scores, "probability": given}
"""

_CATBOOST: Final = """def predicted():
    model = catboost.CatBoostClassifier() if CLASSES else catboost.CatBoostRegressor()
    model.load_model(str(MODEL), format="json")
    categories = [place for place, cell in enumerate(ROWS[0]) if isinstance(cell, str)]
    rows = numpy.array(ROWS, object if categories else float)
    pool = catboost.Pool(rows, cat_features=categories or None)
    scores = model.predict(pool, prediction_type="RawFormulaVal", thread_count=1)
    if not CLASSES:
        return None, {"value": model.predict(pool, thread_count=1), "score": scores}
    labels = [str(each) for each in numpy.ravel(model.predict(pool, prediction_type="Class"))]
    return labels, {"score": scores, "probability": model.predict(pool, prediction_type="Probability", thread_count=1)}
"""

_SKLEARN: Final = """def predicted():
    types = skops.io.get_untrusted_types(file=MODEL)
    model = skops.io.load(MODEL, trusted=[each for each in types if each.startswith("sklearn.")])
    columns = [numpy.array(column, object if TEXTS[place] else float) for place, column in enumerate(zip(*ROWS))]
    rows = numpy.array(ROWS, object if any(TEXTS) else float)
    if NAMES:
        rows = pytest.importorskip("pandas").DataFrame(dict(zip(NAMES, columns)))
    chosen = model.predict(rows)
    if not CLASSES:
        return None, {"value": chosen}
    numbers = {"score": "decision_function", "probability": "predict_proba"}
    given = {name: getattr(model, method)(rows) for name, method in numbers.items() if hasattr(model, method)}
    return [str(each) for each in chosen], given
"""

_ONNX: Final = """def predicted():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(MODEL), options, providers=["CPUExecutionProvider"])
    runs = [session.run(None, row_of(session, row)) for row in ROWS]
    labels, number = None, None
    for place, output in enumerate(session.get_outputs()):
        given = [run[place] for run in runs]
        if CLASSES and labels is None and output.type in ("tensor(int64)", "tensor(string)"):
            labels = [str(numpy.ravel(each)[0]) for each in given]
        elif number is None and output.type.startswith("seq"):  # by class, in a dictionary
            named = [{str(key): value for key, value in each[0].items()} for each in given]
            number = numpy.array([[each[label] for label in CLASSES] for each in named], numpy.float32)
        elif number is None and output.type in ("tensor(float)", "tensor(double)"):
            number = numpy.concatenate([each.reshape(1, -1) for each in given])
    return labels, {KIND: number}


def row_of(session, row):
    kinds = {"tensor(float)": numpy.float32, "tensor(double)": numpy.float64, "tensor(int64)": numpy.int64}
    given, begin = {}, 0
    for each in session.get_inputs():
        open_width = len(row) - begin if len(session.get_inputs()) == 1 else 1
        width = each.shape[1] if len(each.shape) > 1 and isinstance(each.shape[1], int) else open_width
        cells = row[begin : begin + width]
        if each.type == "tensor(string)":
            cells = numpy.array([cells], object)
        else:
            coded = [CODES[begin + place].get(cell, cell) for place, cell in enumerate(cells)]
            cells = numpy.array([coded], kinds.get(each.type, bool))
        given[each.name] = cells if len(each.shape) > 1 else cells.ravel()
        begin += width
    return given
"""

CALLS: Final = {
    "xgboost": LibraryCall(("xgboost",), _XGBOOST),
    "lightgbm": LibraryCall(("lightgbm",), _LIGHTGBM),
    "catboost": LibraryCall(("catboost",), _CATBOOST),
    "sklearn": LibraryCall(("sklearn", "skops.io"), _SKLEARN),
    "onnxruntime": LibraryCall(("onnxruntime",), _ONNX),
}
