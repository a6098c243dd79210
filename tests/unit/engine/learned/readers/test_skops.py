"""The reader of skops files, held to scikit-learn itself."""

from __future__ import annotations

import io
import json
import math
import random
import struct
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
import sklearn
import skops.io
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from soid.engine.learned import links
from soid.engine.learned.evaluation import ModelEvaluation, column_values, known_codes
from soid.engine.learned.model import LearnedModel, LinearSum, ModelRefused, TreeSum
from soid.engine.learned.readers import skops as reader
from soid.errors import ProgramError
from tests.exact_enclosures import any_order_spread, linear_spread
from tests.prepared_rows import accepts, rows_at_thresholds, values_of
from tests.unit.engine.learned.readers.sklearn_models import (
    FLAG,
    FRAME,
    GAPPED,
    LINEAR,
    MATRIX,
    NUMBER,
    THREE,
    TREES,
    TWO,
    Make,
    application_input,
    library_labels,
    library_numbers,
    table,
    trained,
)

ROWS = 5000


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Threads that wait for each other make small models slow, and change no bit of them."""
    with threadpool_limits(1):
        yield


def same_bits(one: NDArray[np.float64], other: NDArray[np.float64]) -> int:
    return int(np.sum(one.view(np.int64) == other.view(np.int64)))


def compare_trees(make: Make, rows: int, seed: int) -> dict[str, int]:
    """How many rows have the same bits, by output; labels and enclosures are compared as well."""
    model, content = trained(make)
    read = reader.read(content)
    given = rows_at_thresholds(read, rows, seed)
    inputs = application_input(read, given)
    found, said = ModelEvaluation(read).of(given), library_numbers(model, read, inputs)
    agreement = {}
    for output in read.outputs:
        if output.name not in said:
            continue
        ours, theirs = found.numbers[output.number], said[output.name]
        agreement[output.name] = same_bits(ours, theirs)
        link = next((each for each in read.links if each.name == output.number), None)
        if link is None or link.exact:
            assert agreement[output.name] == rows, output.name
        else:
            for row in range(0, rows, 7):
                low, high = links.spread_of(link, [float(found.numbers[name][row]) for name in link.arguments])
                assert low <= theirs[row] <= high
    if read.label is not None:
        labels = [read.label.classes[each] for each in found.labels]
        assert labels == library_labels(model, inputs)
    assert agreement
    return agreement


@pytest.mark.parametrize("name", TREES)
def test_trees_give_the_bits_of_the_library(name: str) -> None:
    compare_trees(TREES[name], ROWS, 1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_million_rows_of_each_family(capsys: pytest.CaptureFixture[str]) -> None:
    for name, make in TREES.items():
        agreement: dict[str, int] = {}
        for seed in range(20):
            for output, count in compare_trees(make, 50_000, seed).items():
                agreement[output] = agreement.get(output, 0) + count
        with capsys.disabled():
            print(f"{name:45} 1,000,000 rows, same bits: {agreement}")  # noqa: T201


def columns_at(one: LinearSum, read: LearnedModel, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    codes = np.zeros(rows.shape, np.int64)
    for place, feature in enumerate(read.features):
        if feature.kind == "category":
            codes[:, place] = known_codes(feature, rows[:, place])
    with np.errstate(all="ignore"):
        return np.stack([column_values(column, rows, codes) for column in one.columns], axis=1)


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_lie_in_their_enclosures(name: str) -> None:
    model, content = trained(LINEAR[name])
    read = reader.read(content)
    rows = rows_at_thresholds(read, 300, 1)
    inputs = application_input(read, rows)
    batch = library_numbers(model, read, inputs)
    alone = [library_numbers(model, read, inputs[place : place + 1]) for place in range(60)]
    known = 0
    for one in read.sums:
        assert isinstance(one, LinearSum)
        for place, values in enumerate(columns_at(one, read, rows).tolist()):
            low, high = linear_spread(one, values)
            known += math.isfinite(low)
            for each in [batch[one.name][place], *(said[one.name][0] for said in alone[place : place + 1])]:
                assert low <= each <= high or (low, high) == (-math.inf, math.inf)
    assert known > 120 * len(read.sums)
    check_labels_and_links(model, read, rows, batch)


def check_labels_and_links(
    model: Any, read: LearnedModel, rows: NDArray[np.float64], batch: dict[str, NDArray[np.float64]]
) -> None:
    """Links take the library's own scores, as far as they are finite; labels may differ only where scores are open."""
    for link in read.links:
        for row in range(len(rows)):
            arguments = [float(batch[name][row]) for name in link.arguments]
            if all(map(math.isfinite, arguments)):
                low, high = links.spread_of(link, arguments)
                assert low <= batch[link.name][row] <= high
    if read.label is not None:
        found = ModelEvaluation(read).of(rows)
        said = library_labels(model, application_input(read, rows))
        finite = np.all([np.isfinite(batch[one.name]) for one in read.sums], axis=0)
        same = [read.label.classes[each] == label for each, label in zip(found.labels, said, strict=True)]
        assert np.mean(np.array(same)[finite]) > 0.99


@pytest.mark.parametrize("name", [*TREES, *LINEAR])
def test_what_the_library_rejects_is_what_the_features_reject(name: str) -> None:
    model, content = trained({**TREES, **LINEAR}[name])
    read = reader.read(content)
    row = rows_at_thresholds(read, 1, 3)
    for place, feature in enumerate(read.features):
        values = values_of(read, place)
        chosen = [*random.Random(place).sample(values, min(len(values), 3)), math.nan, math.inf, 1e39, 1.7e308]
        chosen += [end for end in (feature.least, feature.greatest) if end is not None]
        chosen += [math.nextafter(end, math.copysign(math.inf, end)) for end in chosen[-2:]]
        for value in chosen:
            if feature.kind != "category" or math.isnan(value) or (math.isfinite(value) and value in values):
                tried = row.copy()
                tried[0, place] = value
                assert taken(model, application_input(read, tried)) == accepts(feature, value), (feature, value)


def taken(model: Any, inputs: Any) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.predict(inputs)
    except ValueError:
        return False
    return True


def test_a_forest_over_threads_lies_in_its_enclosure() -> None:
    model, content = trained(lambda: (RandomForestClassifier(25, max_depth=4, random_state=0), MATRIX, TWO))
    read = reader.read(content)
    rows = rows_at_thresholds(read, 300, 5)
    trees = ModelEvaluation(read).trees[0]
    leaves = trees.leaves(rows, np.zeros(rows.shape, np.int64))
    said = library_numbers(model, read, rows)["probability"]
    shuffled = [np.random.default_rng(seed).permutation(25) for seed in range(5)]
    for one in read.sums:
        assert isinstance(one, TreeSum) and one.any_order
        for row in range(len(rows)):
            values = trees.values[leaves[row], one.column]
            low, high = any_order_spread(one, values.tolist())
            for order in shuffled:
                total = 0.0
                for value in values[order].tolist():
                    total += value
                assert low <= total / 25 <= high
            if one.column == 1:
                assert low <= said[row] <= high


def test_names_kinds_and_classes_are_those_of_the_file() -> None:
    _, content = trained(TREES["table + forest"])
    read = reader.read(content)
    assert [(each.name, each.kind) for each in read.features] == [
        ("age", "number"), ("income", "number"), ("job", "category"), ("region", "category"), ("note", "number"),
        ("rate", "number"),
    ]  # fmt: skip
    assert read.features[2].categories == (("clerk", 0), ("driver", 1), ("none", 2), ("nurse", 3))
    assert read.features[3].categories == (("1", 1), ("2", 2), ("5", 5))
    assert [each.written for each in read.features[2:4]] == ["text", "number"]
    assert read.label is not None and read.label.classes == ("no", "yes")
    assert dict(read.settings) == {
        "input": "names", "categories of job": "str", "categories of region": "int",
    }  # fmt: skip
    assert (read.library, read.version[:2], read.remarks) == ("sklearn", "1.", ())


def test_classes_may_be_flags_or_numbers() -> None:
    for targets, classes in ((FLAG, ("False", "True")), (THREE, ("0", "1", "2"))):
        _, content = trained(lambda targets=targets: (DecisionTreeClassifier(max_depth=2), MATRIX, targets))
        read = reader.read(content)
        assert read.label is not None and read.label.classes == classes


REFUSED = {
    "sklearn.svm._classes.SVC": lambda: (SVC(), MATRIX, TWO),
    "sklearn.calibration.CalibratedClassifierCV": lambda: (CalibratedClassifierCV(LogisticRegression()), MATRIX, TWO),
    "sklearn.ensemble._voting.VotingClassifier": lambda: (
        VotingClassifier([("a", LogisticRegression())]),
        MATRIX,
        TWO,
    ),
    "sklearn.ensemble._weight_boosting.AdaBoostRegressor": lambda: (AdaBoostRegressor(), MATRIX, NUMBER),
    "sklearn.pipeline.FeatureUnion": lambda: (
        make_pipeline(FeatureUnion([("a", StandardScaler())]), LogisticRegression()),
        MATRIX,
        TWO,
    ),
    "FunctionTransformer": lambda: (
        make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()),
        abs(MATRIX),
        TWO,
    ),
    "PolynomialFeatures": lambda: (make_pipeline(PolynomialFeatures(), LogisticRegression()), MATRIX, TWO),
    "KNNImputer": lambda: (make_pipeline(KNNImputer(), LogisticRegression()), MATRIX, TWO),
    "missing_values other than NaN": lambda: (
        make_pipeline(SimpleImputer(missing_values=0.0), LogisticRegression()),
        MATRIX,
        TWO,
    ),
    "several outputs": lambda: (DecisionTreeRegressor(max_depth=2), MATRIX, np.stack([NUMBER, NUMBER], axis=1)),
    "starts from LogisticRegression": lambda: (
        GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()),
        MATRIX,
        TWO,
    ),
    "modified_huber": lambda: (SGDClassifier(loss="modified_huber"), MATRIX, TWO),
    "infrequent": lambda: (
        make_pipeline(OneHotEncoder(min_frequency=10, handle_unknown="ignore"), DecisionTreeClassifier()),
        FRAME[["job"]],
        TWO,
    ),
    "ends without a model": lambda: (make_pipeline(StandardScaler(), "passthrough"), MATRIX, TWO),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_not_modelled_is_refused_by_name(words: str) -> None:
    _, content = trained(REFUSED[words])
    with pytest.raises(ModelRefused, match=words):
        reader.read(content)


def test_a_model_that_was_not_fitted_is_no_model() -> None:
    with pytest.raises(ProgramError, match="fitted"):
        reader.read(skops.io.dumps(DecisionTreeClassifier()))


def test_a_column_is_a_number_or_a_category() -> None:
    both = make_pipeline(table(remainder="drop").set_params(regions="passthrough"), LogisticRegression())
    both.set_params(columntransformer__jobs=OneHotEncoder(handle_unknown="ignore"))
    both.steps[0][1].transformers[2] = ("jobs", OneHotEncoder(handle_unknown="ignore"), ["region"])
    _, content = trained(lambda: (both, FRAME, TWO))
    with pytest.raises(ModelRefused, match="column region is used as a number and as a category"):
        reader.read(content)


def test_a_file_is_recognised_by_its_first_bytes() -> None:
    _, content = trained(TREES["DecisionTreeClassifier"])
    assert reader.recognises(content[:4096])
    assert not reader.recognises(b"PK\x03\x04" + bytes(26) + b"word/document.xml")
    assert not reader.recognises(b"{}")


@pytest.fixture(scope="module")
def file() -> bytes:
    """A file with something of most kinds in it."""
    model = make_pipeline(table(remainder="drop"), GradientBoostingClassifier(n_estimators=2, random_state=0))
    return trained(lambda: (model, GAPPED, TWO))[1]


@pytest.fixture(scope="module")
def other_file() -> bytes:
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features=["job", "region", "note"])
    return trained(lambda: (model, GAPPED, TWO))[1]


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def mutated(content: bytes, chance: random.Random) -> bytes:
    """A file of which something is changed: a byte of the archive, of a file in it, a word or a node of the schema."""
    way = chance.randrange(6)
    if way == 0:
        return content[: chance.randrange(len(content))]
    if way == 1:
        changed = bytearray(content)
        for _ in range(chance.randrange(1, 5)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    files = unpacked(content)
    if way == 2:
        del files[chance.choice(list(files))]
        return packed(files)
    if way == 3:
        name = chance.choice([name for name in files if name.endswith(".npy")])
        files[name] = mutated_array(files[name], chance)
        return packed(files)
    schema = json.loads(files["schema.json"])
    for _ in range(chance.randrange(1, 4)):
        mutate_schema(schema, chance)
    return packed(files | {"schema.json": json.dumps(schema).encode()})


def mutated_array(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    odd = (math.nan, math.inf, -math.inf, 1e308, -1.0, 1e-320)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(changed))
        if chance.random() < 0.5 and at + 8 <= len(changed):
            put = chance.choice(
                [struct.pack("<d", chance.choice(odd)), struct.pack("<q", chance.choice([-2, 7, 2**40]))]
            )
            at -= (at - 128) % 8
            changed[at : at + 8] = put
        else:
            changed[at] = chance.randrange(256)
    return bytes(changed)


def mutate_schema(schema: Any, chance: random.Random) -> None:
    places = [
        (holder, key)
        for holder in nodes_in(schema)
        for key in (holder if isinstance(holder, dict) else range(len(holder)))
    ]
    holder, key = chance.choice(places)
    other, other_key = chance.choice(places)
    odd = [None, 0, -1, 2**70, 1e400, "", "NaN", "null", "[" * 2000, [], {}, True, other[other_key]]
    if isinstance(holder, dict) and chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = json.loads(json.dumps(chance.choice(odd)))


def nodes_in(schema: Any) -> list[Any]:
    found, waiting = [], [schema]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += [
            each for each in (node.values() if isinstance(node, dict) else node) if isinstance(each, dict | list)
        ]
    return found


def check_mutants(files: list[bytes], count: int, seed: int) -> int:
    """Each is read or an error says what is wrong; a model that is read can be evaluated."""
    chance, errors = random.Random(seed), 0
    for _ in range(count):
        content = mutated(chance.choice(files), chance)
        try:
            read = reader.read(content)
        except ProgramError:
            errors += 1
        else:
            ModelEvaluation(read).of(np.zeros((2, len(read.features))))
    return errors


def test_mutated_files_are_read_or_refused(file: bytes, other_file: bytes) -> None:
    assert check_mutants([file, other_file], 100, 11) > 30


@pytest.mark.fuzz
def test_many_mutated_files_are_read_or_refused(file: bytes, other_file: bytes) -> None:
    files = [file, other_file, *(trained(TREES[name])[1] for name in list(TREES)[:12]), trained(LINEAR["scorecard"])[1]]
    assert check_mutants(files, 10_000, random.randrange(10**9)) > 3000


def test_a_zip_bomb_is_not_unpacked() -> None:
    bomb = bytearray(packed({"schema.json": b"{}"}))
    size = bomb.index(b"PK\x01\x02") + 24  # as the archive's directory claims it
    bomb[size : size + 4] = struct.pack("<I", 300 << 20)
    with pytest.raises(ProgramError, match="more than"):
        reader.read(bytes(bomb))


def test_an_array_that_claims_to_be_huge_is_not_allocated(file: bytes) -> None:
    files = unpacked(file)
    name = next(name for name in files if name.endswith(".npy"))
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }\n"
    files[name] = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    for each in files:
        if each.endswith(".npy"):
            files[each] = files[name]
    with pytest.raises(ProgramError, match="size"):
        reader.read(packed(files))


def altered(content: bytes, change: Any) -> bytes:
    files = unpacked(content)
    schema = json.loads(files["schema.json"])
    change(schema)
    return packed(files | {"schema.json": json.dumps(schema).encode()})


def test_an_object_that_holds_itself_is_an_error(file: bytes) -> None:
    def change(schema: Any) -> None:
        steps = schema["content"]["content"]["steps"]
        steps["content"][0]["content"][1]["__id__"] = steps["__id__"]

    with pytest.raises(ProgramError, match="holds itself"):
        reader.read(altered(file, change))


def test_the_first_object_with_an_id_stands_for_all(file: bytes) -> None:
    """As in skops: what a later copy says is not looked at."""

    def change(schema: Any) -> None:
        model = schema["content"]["content"]["steps"]["content"][1]["content"][1]["content"]["content"]
        model["learning_rate"]["__id__"] = model["subsample"]["__id__"] = 12345
        model["learning_rate"]["content"], model["subsample"]["content"] = "0.5", "0.25"

    copied = altered(file, change)
    names = skops.io.get_untrusted_types(data=copied)
    order = list(
        json.loads(unpacked(file)["schema.json"])["content"]["content"]["steps"]["content"][1]["content"][1]["content"][
            "content"
        ]
    )
    first = 0.5 if order.index("learning_rate") < order.index("subsample") else 0.25
    assert skops.io.loads(copied, trusted=names)[-1].learning_rate == first
    read, whole = reader.read(copied), reader.read(file)
    leaf, plain = (np.frombuffer(each.trees[0].values, "<f8") for each in (read, whole))
    assert np.allclose(leaf, plain * first / 0.1)


def test_deep_nesting_is_an_error() -> None:
    deep = b'{"protocol": 2, "content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(ProgramError, match="deep"):
        reader.read(packed({"schema.json": deep}))


def test_a_key_that_stands_twice_is_an_error() -> None:
    with pytest.raises(ProgramError, match="twice"):
        reader.read(packed({"schema.json": b'{"protocol": 2, "protocol": 2}'}))


def test_versions_before_and_after_are_told(file: bytes) -> None:
    def of_version(text: str) -> bytes:
        files = unpacked(file)
        known = json.dumps(json.dumps(sklearn.__version__)).encode()
        assert known in files["schema.json"]
        return packed(
            files | {"schema.json": files["schema.json"].replace(known, json.dumps(json.dumps(text)).encode())}
        )

    with pytest.raises(ModelRefused, match=r"scikit-learn 1\.2\.2"):
        reader.read(of_version("1.2.2"))
    assert "1.7" in reader.read(of_version("1.7.1")).remarks[-1]
    with pytest.raises(ProgramError, match="no version"):
        reader.read(of_version("new"))
    with pytest.raises(ModelRefused, match="protocol 3"):
        reader.read(altered(file, lambda schema: schema.update(protocol=3)))


def test_many_categories_take_little_room() -> None:
    labels = np.array([[f"shop {place % 3000}"] for place in range(6000)], object)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=5))
    _, content = trained(lambda: (model, labels, np.arange(6000) % 3 == 0))
    read = reader.read(content)
    assert len(read.features[0].categories) == 3000
    (one,) = read.sums
    assert isinstance(one, LinearSum)
    assert len(one.columns) == 3000 and sum(len(column.steps) for column in one.columns) == 3000
    assert len(msgspec.msgpack.encode(one)) < 500_000


def test_a_scorecard_that_rejects_unseen_categories_comes_out_of_the_jail() -> None:
    """What is read is sent as JSON, which has no NaN."""
    model = make_pipeline(OrdinalEncoder(), LogisticRegression(max_iter=5))
    _, content = trained(lambda: (model, np.array([["a"], ["b"]] * 20, object), np.arange(40) % 3 == 0))
    read = reader.read(content)
    assert msgspec.json.decode(msgspec.json.encode(read), type=LearnedModel) == read
    assert not read.features[0].takes_unseen


def test_an_encoder_behind_an_encoder_knows_what_is_unseen() -> None:
    both = make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        OneHotEncoder(categories=[[-1.0, 0.0, 1.0, 2.0, 3.0]], sparse_output=False),
        DecisionTreeClassifier(random_state=0),
    )
    compare_trees(lambda: (both, FRAME[["job"]], TWO), 200, 2)


def test_a_header_that_does_not_end_is_an_error(file: bytes) -> None:
    files = unpacked(file)
    header = b"{'descr': [('left_child', '<i8'), 'fortran_order': False, 'shape': (3,) \n"
    for name in files:
        if name.endswith(".npy"):
            files[name] = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    with pytest.raises(ProgramError, match="no array"):
        reader.read(packed(files))


def test_steps_that_hold_the_same_step_twice_many_times_over_are_not_followed(file: bytes) -> None:
    """A pipeline of two pipelines which are the same one, and so on: a billion steps in a few lines."""

    def node(name: str, loader: str, content: Any, number: int | None = None) -> dict[str, Any]:
        module = "sklearn.pipeline" if name == "Pipeline" else "builtins"
        return {"__class__": name, "__module__": module, "__loader__": loader, "content": content, "__id__": number}

    def change(schema: Any) -> None:
        inner, name = node("str", "JsonNode", '"passthrough"', 99), node("str", "JsonNode", '"x"')
        for number in range(1, 20):
            again = {**inner, "content": None}  # the first with its id stands for it
            listed = [
                node("tuple", "TupleNode", [node("str", "JsonNode", '"x"'), each]) for each in (inner, again, again)
            ]
            steps = node("dict", "DictNode", {"steps": node("list", "ListNode", listed)})
            inner = node("Pipeline", "ObjectNode", steps, number)
        pair = node("tuple", "TupleNode", [name, inner])
        schema["content"]["content"]["steps"]["content"].insert(1, pair)

    with pytest.raises(ModelRefused, match="in all"):
        reader.read(altered(file, change))
