"""Twenty people ask at once, for five minutes: each question is answered or cleanly refused; the page stays quick."""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import httpx
import pytest

from tests.soak.serving import CASES, QUESTIONS, keep, seconds, serving

USERS = 20
WAITS = 20.0  # seconds that a user waits for an answer before calling the question off


@dataclass
class Observed:
    """What came of it all."""

    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    latencies: dict[str, list[float]] = field(default_factory=dict)  # seconds, by what was asked for


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_twenty_people_at_once(tmp_path):
    observed, end = Observed(), time.monotonic() + seconds(300)
    with serving(tmp_path, "--seconds", "30") as url:
        users = [threading.Thread(target=_user, args=(url, number, end, observed)) for number in range(USERS)]
        watcher = threading.Thread(target=_watcher, args=(url, end, observed))
        for thread in (*users, watcher):
            thread.start()
        for thread in (*users, watcher):
            thread.join()
    medians = {name: statistics.median(times) for name, times in observed.latencies.items()}
    figures = {
        name: {
            "median_ms": round(1000 * medians[name]),
            "95_percent_below_ms": round(1000 * sorted(times)[int(len(times) * 0.95)]),
            "looks": len(times),
        }
        for name, times in observed.latencies.items()
    }
    keep("users.json", {"seconds": seconds(300), "outcomes": observed.outcomes, "latency": figures})
    assert not observed.wrong, observed.wrong[:5]
    assert observed.outcomes["done"] > USERS
    assert max(medians.values()) < 0.2


def _user(url: str, number: int, end: float, observed: Observed) -> None:
    """Asks one question after the other, and waits for each, though not for ever."""
    chosen = random.Random(number)
    with httpx.Client(base_url=url, headers={"x-soid": "1"}, timeout=60) as client:
        while time.monotonic() < end:
            case = chosen.choice(list(CASES))
            question = chosen.choice(QUESTIONS["oven" if case == "oven" else "crash"])
            if case == "diabetes":
                question = "did decides"
            asked = client.post(f"/api/cases/{case}/questions", json={"question": question})
            if asked.status_code == 429:
                observed.outcomes["refused"] += 1
                time.sleep(1)
            elif asked.status_code == 202:
                observed.outcomes[_followed(client, asked.json()["id"], observed)] += 1
            else:
                observed.wrong.append(f"{asked.status_code}: {asked.text[:200]}")


def _followed(client: httpx.Client, job_id: str, observed: Observed) -> str:
    patience = time.monotonic() + WAITS
    called_off = False
    while True:
        job = client.get(f"/api/jobs/{job_id}").json()
        match job["state"]:
            case "done":
                verdict = job["result"]["answer"]["verdict"]
                observed.outcomes[f"verdict {verdict}"] += 1
                return "done"
            case "cancelled":
                if not called_off:
                    observed.wrong.append(f"called off by nobody: {job}")
                return "called off"
            case "failed":
                observed.wrong.append(str(job["error"]))
                return "failed"
        if time.monotonic() > patience and not called_off:
            called_off = True
            client.delete(f"/api/jobs/{job_id}")
        time.sleep(0.5)


def _watcher(url: str, end: float, observed: Observed) -> None:
    """Someone who looks at pages all the time."""
    places = {
        "the list of cases": "/",
        "the page of a case": "/case/standard",
        "a case over the API": "/api/cases/standard",
        "whether anything is new": "/api/cases/standard/version",
    }
    with httpx.Client(base_url=url, timeout=60) as client:
        for place in places.values():
            client.get(place)  # what is loaded once is loaded
        while time.monotonic() < end:
            for name, place in places.items():
                started = time.monotonic()
                answer = client.get(place)
                observed.latencies.setdefault(name, []).append(time.monotonic() - started)
                if answer.status_code != 200:
                    observed.wrong.append(f"{place}: {answer.status_code}")
            time.sleep(0.25)
