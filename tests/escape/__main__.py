# ruff: noqa: T201  (a command talks to the terminal)
"""The table of tricks, variants and users in Markdown: `python -m tests.escape [WORD ...]` runs every cell of it.

A cell has what was left, by way in; `none` is what soid promises. `--control` runs the tricks without confinement.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from tests.escape.control import unconfined
from tests.escape.host import PATIENCE, USERS, Found, Host
from tests.escape.project import honest_bundle
from tests.escape.table import TRICKS
from tests.escape.trick import Trace, Trick, Variant, Way


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only tricks whose group and name have one of these words")
    parser.add_argument("--variant", action="append", choices=[one.value for one in Variant])
    parser.add_argument("--user", action="append", choices=USERS)
    parser.add_argument("--way", action="append", choices=[one.value for one in Way])
    parser.add_argument("--seconds", type=float, default=PATIENCE, help="of processor time that a command may take")
    parser.add_argument("--control", action="store_true", help="run the tricks without confinement instead")
    parser.add_argument("--show", action="store_true", help="print what the runs have said, too")
    options = parser.parse_args()
    chosen = [each for each in TRICKS if not options.words or any(word in each.id for word in options.words)]
    if options.way:
        chosen = [replace(each, ways=tuple(way for way in each.ways if way.value in options.way)) for each in chosen]
    users = ["control"] if options.control else options.user or list(USERS)
    print(f"| group | trick | variant | {' | '.join(users)} |\n|{'---|' * (3 + len(users))}")
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        base = honest_bundle(Path(scratch) / "honest")
        hosts = [] if options.control else [stack.enter_context(Host(USERS[user])) for user in users]
        for trick in chosen:
            for variant in trick.variants:
                if options.variant and variant.value not in options.variant:
                    continue
                if options.control:
                    cells = [_control(trick, variant)]
                else:
                    runs = [host.run(trick, variant, base, options.seconds) for host in hosts]
                    cells = [_cell(run) for run in runs]
                    if options.show:
                        print(*(one.output for run in runs for one in run.values()), sep="\n")
                print(f"| {trick.group} | {trick.name} | {variant.value} | {' | '.join(cells)} |", flush=True)


def _control(trick: Trick, variant: Variant) -> str:
    return _words(unconfined(trick, variant)) if trick.is_controlled else f"({trick.control})"


def _cell(run: dict[Way, Found]) -> str:
    left = {way: found for way, found in run.items() if found.traces}
    return "; ".join(f"**{way.value}: {_words(found.traces)}**" for way, found in left.items()) or "none"


def _words(traces: frozenset[Trace]) -> str:
    return ", ".join(sorted(trace.value for trace in traces)) or "none"


if __name__ == "__main__":
    main()
