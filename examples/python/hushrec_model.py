"""Recommendations from a published Hushrec model, with numpy and safetensors alone.

    python hushrec_model.py model --history my-ratings.csv

Opens a model folder as the JavaScript client does: every file is checked against the certificate, one person's own history is
fitted to the item vectors on this machine, and items are ranked. The history goes nowhere. What the certificate promises is not
recomputed here; `npx hushrec verify model` does that.
"""

import argparse
import csv
import hashlib
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load as load_tensors


class UntrustedModel(Exception):
    """A file is not what the certificate was issued for, or the certificate was changed."""


class Model:
    """A published model: ids, titles and vectors of items. Read it once and keep it."""

    def __init__(self, folder):
        folder = Path(folder)
        self.certificate = checked_certificate(folder)
        self.manifest = json.loads((folder / "model.json").read_text("utf-8"))
        if self.manifest.get("format") not in ("hushrec-model-2", "hushrec-model-3"):
            raise UntrustedModel(f"This reader does not know the format {self.manifest.get('format')}.")
        self.description = self.manifest["model"]
        self.tensors = load_tensors((folder / "item-factors.safetensors").read_bytes())
        self.item_ids = self.manifest["itemIds"]
        self.titles = self.manifest.get("titles") or [""] * len(self.item_ids)
        self._index = {item: at for at, item in enumerate(self.item_ids)}

    def recommend(self, history, k=10):
        """The k best items outside the history ({item id: rating}, or 1 for a like): a list of (id, score), best first.

        A score is a predicted rating, an expected count (loss "poisson") or a chance of being liked (loss "logistic").
        """
        basis, scores = self.scores(history)
        seen = [self._index[item] for item in history if item in self._index]
        scale = self.manifest.get("scale")
        order = np.lexsort((np.arange(len(scores)), -scores))
        best = [at for at in order if at not in set(seen) and not np.isnan(scores[at])][:k]
        loss = (self.description.get("loss") or {}).get("kind")
        if basis == "history" and loss is not None:
            scores = 1 / (1 + np.exp(-scores)) if loss == "logistic" else np.exp(scores)
        if basis == "history" and self.description["feedback"] == "explicit" and loss != "logistic" and scale:
            scores = np.clip(scores, scale["min"], scale["max"])
        return [(self.item_ids[at], float(scores[at])) for at in best]

    def scores(self, history):
        """What the ranking rests on ("history", "popularity" or "item-means") and a score for every item."""
        known = {self._index[item]: rating for item, rating in history.items() if item in self._index}
        items = np.array(list(known), dtype=np.int64)
        ratings = np.array(list(known.values()), dtype=np.float64)
        popularity = self.tensors.get("popularity")
        usefulness = self.certificate.get("usefulness") or {}
        is_noise = usefulness.get("verdict") == "too-noisy" and self.description["kind"] == "factors"
        personal = len(items) > 0 and not (is_noise and popularity is not None)
        if personal and not self._same_for_all():
            return "history", self._personal(items, ratings)
        if popularity is not None:
            return "popularity", popularity.astype(np.float64)
        is_choice = self.description["kind"] == "baseline" and self.description["feedback"] == "implicit"
        return ("popularity" if is_choice else "item-means"), self._base()

    def _same_for_all(self):
        """Whether nobody's history changes the order: no vectors, or averages alone."""
        kind = self.description["kind"]
        if kind != "factors":
            return kind == "baseline"
        vectors = self.tensors["item_factors"]
        one = self.description["feedback"] == "implicit" and vectors.shape[1] == 1
        return not vectors.any() or (one and self.description["foldIn"]["ridge"] > 0 and (vectors >= 0).all())

    def _grades(self, ratings):
        """Of a model that learned from grades: (r - min)/(max - min) of its scale; 1 for a like."""
        grades = self.description["foldIn"].get("grades")
        if grades is None:
            return np.ones(len(ratings))
        share = (ratings - grades["min"]) / (grades["max"] - grades["min"])
        return np.float32(np.clip(share, 0, 1)).astype(np.float64)

    def _base(self):
        """offset + b_j: the part of a score that is the same for everybody."""
        bias = self.tensors.get("item_bias", np.zeros(len(self.item_ids), np.float32)).astype(np.float64)
        if self.description["kind"] == "neighbours" and self.description["feedback"] == "implicit":
            return np.zeros(len(self.item_ids))
        return self.description["offset"] + bias

    def _personal(self, items, ratings):
        kind = self.description["kind"]
        if kind == "factors":
            return self._fold_in_loss(items, ratings) if "loss" in self.description else self._fold_in(items, ratings)
        return self._neighbours(items, ratings) if kind == "neighbours" else self._own_mean(items, ratings)

    def _fold_in(self, items, ratings):
        """(u, c) = M^-1 sum_k x_k y_k, then offset + b_j + c + u.v_j; M as in packages/recommend/src/fold-in.ts."""
        settings, explicit = self.description["foldIn"], self.description["feedback"] == "explicit"
        vectors = self.tensors["item_factors"].astype(np.float64)
        x = vectors[items]
        y = ratings - self._base()[items] if explicit else self._grades(ratings)
        count = len(items) + settings.get("ridgeCountOffset", 0)
        ridge = np.full(x.shape[1], settings["ridge"] * count ** settings["ridgeExponent"])
        m = np.zeros((x.shape[1], x.shape[1]))
        if not explicit and settings["unobservedWeight"] > 0:
            m += settings["unobservedWeight"] * (vectors.T @ vectors)
        if explicit and "interceptRidge" in settings:
            x = np.hstack([x, np.ones((len(items), 1))])
            ridge = np.append(ridge, settings["interceptRidge"])
            m = np.zeros((x.shape[1], x.shape[1]))
        # A choice of grade g is g of a choice.
        weights = np.ones(len(items)) if explicit else y
        solution = np.linalg.solve(m + (x.T * weights) @ x + np.diag(ridge), x.T @ y)
        width = vectors.shape[1]
        intercept = solution[width] if len(solution) > width else 0.0
        return self._base() + intercept + vectors @ solution[:width]

    def _fold_in_loss(self, items, ratings):
        """Newton's method with a line search, as in packages/recommend/src/convex-fold-in.ts; scores before the link."""
        settings, loss = self.description["foldIn"], self.description["loss"]
        vectors, base = self.tensors["item_factors"].astype(np.float64), self._base()
        x = vectors[items]
        count = len(items) + settings.get("ridgeCountOffset", 0)
        ridge = np.full(x.shape[1], settings["ridge"] * count ** settings["ridgeExponent"])
        if "interceptRidge" in settings:
            x = np.hstack([x, np.ones((len(items), 1))])
            ridge = np.append(ridge, settings["interceptRidge"])
        if loss["kind"] == "logistic":
            y = (ratings >= loss["likedFrom"]).astype(np.float64)
            value, mean = lambda z: np.logaddexp(0, z), lambda z: 1 / (1 + np.exp(-z))
            curvature = lambda z: mean(z) * (1 - mean(z))
        elif loss["kind"] == "poisson":
            y = np.clip(ratings, 0, 1e4)
            value = mean = curvature = np.exp
        else:
            raise UntrustedModel(f"This reader does not know the loss {loss['kind']}. Use a later one.")
        w = np.zeros(x.shape[1])
        score = lambda w: base[items] + x @ w
        objective = lambda w: np.sum(value(score(w)) - y * score(w)) + ridge @ w**2 / 2
        for _ in range(60):
            z = score(w)
            gradient = x.T @ (mean(z) - y) + ridge * w
            step = np.linalg.solve(x.T @ (curvature(z)[:, None] * x) + np.diag(ridge), gradient)
            promised, now = gradient @ step, objective(w)
            if promised <= 1e-24 * (1 + abs(now)):
                break
            size = 1.0
            while not objective(w - size * step) <= now - 1e-4 * size * promised + 1e-13 * (1 + abs(now)):
                size /= 2
            w = w - size * step
        width = vectors.shape[1]
        return base + (w[width] if len(w) > width else 0.0) + vectors @ w[:width]

    def _own_mean(self, items, ratings):
        base, shrinkage = self._base(), self.description.get("userShrinkage")
        if shrinkage is None or self.description["feedback"] == "implicit":
            return base
        return base + np.sum(ratings - base[items]) / (len(items) + shrinkage)

    def _neighbours(self, items, ratings):
        """Own mean plus the weighted residuals of an item's neighbours in the history; for choices the sum of similarities."""
        explicit, base = self.description["feedback"] == "explicit", self._base()
        residual = np.zeros(len(self.item_ids))
        residual[items] = ratings - base[items] if explicit else 1.0
        rated = np.zeros(len(self.item_ids), dtype=bool)
        rated[items] = True
        neighbours = self.tensors["neighbours"]
        own = np.sum(residual[items]) / (len(items) + self.description["userShrinkage"]) if explicit else 0.0
        weight = np.where(
            (neighbours >= 0) & rated[np.maximum(neighbours, 0)],
            self.tensors["similarities"].astype(np.float64),
            0.0,
        )
        weighted = np.sum(weight * (residual[np.maximum(neighbours, 0)] - own), axis=1)
        if not explicit:
            return weighted
        mass = np.sum(np.abs(weight), axis=1)
        return base + own + np.divide(weighted, mass, out=np.zeros_like(mass), where=mass > 0)


def checked_certificate(folder):
    """The certificate of a model folder, after checking its own hash and that of every file it covers."""
    # Numbers are kept as they are written, so that they hash as they were hashed.
    text = (folder / "certificate.json").read_text("utf-8")
    literal = json.loads(text, parse_float=Number, parse_int=Number)
    covered = {key: value for key, value in literal.items() if key not in ("hash", "signature")}
    if hashlib.sha256(canonical(covered).encode("utf-8")).hexdigest() != literal.get("hash"):
        raise UntrustedModel("The certificate was changed after it was issued. Fetch the model again.")
    for name, expected in literal["files"].items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
            raise UntrustedModel(f"{name} is not what the certificate was issued for. Fetch the model again.")
    for name in ("model.json", "item-factors.safetensors"):
        if name not in literal["files"]:
            raise UntrustedModel(f"The certificate does not cover {name}.")
    return json.loads(text)


class Number(str):
    """A number as it stands in the file."""


def canonical(value):
    """Canonical JSON (RFC 8785) of what was parsed with Number: keys by UTF-16 code units, no spaces."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser(description="Recommendations from a published Hushrec model.")
    parser.add_argument("model")
    parser.add_argument("--history", required=True, help="lines of item,rating (rating left out for likes)")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    model = Model(asked.model)
    history = {}
    with open(asked.history, newline="", encoding="utf-8-sig") as file:
        for row in csv.reader(file):
            if row and row[0] != "item":
                history[row[0]] = float(row[1]) if len(row) > 1 and row[1] != "" else 1.0
    items = model.recommend(history, asked.k)
    if asked.json:
        basis, _ = model.scores(history)
        print(json.dumps({"basis": basis, "items": [{"id": item, "score": score} for item, score in items]}))
        return
    titles = dict(zip(model.item_ids, model.titles))
    for item, score in items:
        print(f"{score:8.3f}  {titles[item] or item}")


if __name__ == "__main__":
    main()
