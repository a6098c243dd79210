"""The commands of `soid bench`, which measure soid on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, final

from soid.cli.command_line.parameters import AsJson, CommandOptions, Option, Positional


@final
class BenchEngineOptions(CommandOptions, frozen=True):
    """Instructions a second on concrete code, and seconds for 200 branches on one free float."""

    runs: Annotated[int, Option("--runs", "N", "How often each figure is measured.", least=1)] = 5
    as_json: AsJson = False


@final
class BenchGrowthOptions(CommandOptions, frozen=True):
    """Seconds and memory against the size of a question: cars, free floats, branches, rows, steps, learned trees."""

    series: Annotated[
        tuple[str, ...],
        Positional("SERIES", "cars, floats, range, branches, rows, held, logged, loop, trees, features; all of them."),
    ] = ()
    runs: Annotated[int, Option("--runs", "N", "How often each question is put.", least=1)] = 3
    limit: Annotated[float, Option("--limit", "S", "Seconds that each question has.", least=0.1)] = 60.0
    picture: Annotated[Path | None, Option("--picture", "FILE.svg", "Draw it there as well.")] = None
    as_json: AsJson = False


@final
class BenchSweepOptions(CommandOptions, frozen=True):
    """CPU seconds and solver calls of a sweep against its moments: flights of the drone, made here."""

    moments: Annotated[
        tuple[int, ...], Positional("MOMENTS", "How many, for each sweep; 100, 300, 1000 and 5000.")
    ] = ()
    as_json: AsJson = False


@final
class BenchCheckOptions(CommandOptions, frozen=True):
    """Whether soid has become slower: ratios inside one run, held to a stored baseline; 1 if it has."""

    runs: Annotated[int, Option("--runs", "N", "How often each is measured; the least counts.", least=1)] = 5
    baseline: Annotated[Path | None, Option("--baseline", "FILE.json", "Compare with this; soid's own.")] = None
    write: Annotated[Path | None, Option("--write", "FILE.json", "Compare with nothing: store it there.")] = None
    as_json: AsJson = False


@final
class BenchPeersOptions(CommandOptions, frozen=True):
    """The same questions in the same run put to cbmc and angr, or about learned models to Veritas and treecf."""

    cbmc: Annotated[Path | None, Option("--cbmc", "FILE", "The cbmc to compare with; on the PATH.")] = None
    angr: Annotated[Path | None, Option("--angr", "PYTHON", "A Python that has angr; this one.")] = None
    models: Annotated[bool, Option("--models", None, "Questions about learned models, which are trained here.")] = False
    veritas: Annotated[Path | None, Option("--veritas", "PYTHON", "A Python that has dtai-veritas; this one.")] = None
    treecf: Annotated[Path | None, Option("--treecf", "PYTHON", "A Python that has treecf; this one.")] = None
    limit: Annotated[float, Option("--limit", "S", "Seconds that each tool has for a question.", least=0.1)] = 60.0
    as_json: AsJson = False


@final
class BenchPaperOptions(CommandOptions, frozen=True):
    """The paper's tables measured again, beside its figures, and beside its recipe in the same run."""

    runs: Annotated[int, Option("--runs", "N", "How often each figure is measured.", least=1)] = 3
    baseline: Annotated[
        bool, Option("--baseline/--no-baseline", None, "Also measure the paper's recipe: takes minutes.")
    ] = True
    limit: Annotated[float, Option("--limit", "S", "Seconds that its recipe has for a question.", least=0.0)] = 120.0
    starts: Annotated[
        bool, Option("--starts/--no-starts", None, "Also ask again, in fresh processes, and with an empty cache.")
    ] = True
    picture: Annotated[Path | None, Option("--picture", "FILE.svg", "Draw the figures there as well.")] = None
    as_json: AsJson = False
