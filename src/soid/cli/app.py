"""The commands and their options, as typer reads them. What each does is in the module of its name.

Long because it is the table of all commands: what `--help` says stands in one place, and nothing is done here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.main import get_command

from soid.cli import exits
from soid.cli.case import commands as case_commands

app = typer.Typer(
    name="soid",
    help="Puts decision programs on the stand: did it, would it, might it? Answered with proof.",
    epilog="First steps: `soid demo`, then `soid inspect` and `soid ask` in a folder with a soid.toml.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Project = Annotated[
    Path, typer.Option("--project", "-p", metavar="PATH", help="The folder with the soid.toml, or that file.")
]
Log = Annotated[Path | None, typer.Option("--trace", "-t", metavar="FILE", help="The log, if not the manifest's.")]
StepNumber = Annotated[
    int | None, typer.Option("--step", "-s", metavar="N", help="The moment asked about, if not the manifest's.")
]
Json = Annotated[bool, typer.Option("--json", help="For scripts: JSON as docs/json.md describes it.")]


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Say which soid this is.")] = False,
) -> int:
    if version:
        from soid.cli.version import version as installed

        print(f"soid {installed()}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        print(context.get_help())
    return 0


@app.command("ask", epilog=exits.HELP)
def _ask(
    questions: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help='Each in quotes: "would x == 1 if y is anything".', show_default=False),
    ] = None,
    project: Project = Path(),
    trace: Log = None,
    step: StepNumber = None,
    as_json: Json = False,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=0.0, help="What one question may take; 60 where not given.")
    ] = None,
    witness_seconds: Annotated[
        float | None,
        typer.Option(metavar="S", min=0.0, help="Of those, for bringing the witness near to the fact; 5."),
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this solver; may be given again.")
    ] = None,
    cross_check: Annotated[bool, typer.Option("--cross-check", help="Two solvers must agree on everything.")] = False,
    log_queries: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every query to the solvers there, as .smt2 files.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Rounds of loops and calls that it has for each decision; soid.toml's."),
    ] = None,
    paths: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Explore no more paths than so many; 100000.")
    ] = None,
    memory: Annotated[
        int | None, typer.Option(metavar="MIB", min=1, help="Explore in no more memory than so much; 4096.")
    ] = None,
    accept_log_mismatch: Annotated[
        bool,
        typer.Option("--accept-log-mismatch", help="Go on where log and program differ; the answer says so."),
    ] = False,
    replay: Annotated[
        Literal["confined", "unconfined", "off"],
        typer.Option(help="Whether witnesses are run on the compiled program; unconfined: though it may do harm."),
    ] = "confined",
    recipe: Annotated[
        Literal["soid", "paper"],
        typer.Option(help="How answers are found; paper: as published, each branch and the end by Z3, for comparison."),
    ] = "soid",
    without: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Switch a mechanism of the recipe off, by name; again.")
    ] = None,
    cores: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes side by side; all cores.", show_default=False)
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show all inputs and all that it rests on.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the verdict, one word a question.")] = False,
) -> int:
    """Put questions to the program; without one, those that the manifest lists."""
    from soid.cli.ask import Options, ask

    return ask(
        Options(
            questions=tuple(questions or ()),
            project=project,
            trace=trace,
            step=step,
            as_json=as_json,
            seconds=seconds,
            witness_seconds=witness_seconds,
            solvers=tuple(solver or ()),
            cross_check=cross_check,
            log_queries=log_queries,
            window=window,
            paths=paths,
            memory=memory,
            cores=cores,
            accept_log_mismatch=accept_log_mismatch,
            replay=replay,
            recipe=recipe,
            without=tuple(without or ()),
            verbose=verbose,
            quiet=quiet,
        )
    )


@app.command("explain", epilog=exits.HELP)
def _explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUESTION | CASE N",
            help="A question in quotes; or a case file and the number of an entry in it.",
            show_default=False,
        ),
    ] = None,
    project: Project = Path(),
    trace: Log = None,
    step: StepNumber = None,
    as_json: Json = False,
    others: Annotated[int, typer.Option(metavar="N", min=0, help="How many other sets of changes are looked for.")] = 3,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=0.0, help="What answering may take, and explaining again; 60.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Rounds of loops and calls that it has for each decision; soid.toml's."),
    ] = None,
    accept_log_mismatch: Annotated[
        bool,
        typer.Option("--accept-log-mismatch", help="Go on where log and program differ; the answer says so."),
    ] = False,
    replay: Annotated[
        Literal["confined", "unconfined", "off"],
        typer.Option(help="Whether scenarios are run on the compiled program; unconfined: though it may do harm."),
    ] = "confined",
) -> int:
    """Explain an answer: what mattered and where it flips, or what its proof needed."""
    from soid.cli.ask import Options
    from soid.cli.explain import explain

    options = Options(
        questions=tuple(words or ()),
        project=project,
        trace=trace,
        step=step,
        as_json=as_json,
        seconds=seconds,
        window=window,
        accept_log_mismatch=accept_log_mismatch,
        replay=replay,
    )
    return explain(options, others)


@app.command("map")
def _map(
    over: Annotated[
        str,
        typer.Option(
            metavar="SUPPOSITIONS",
            help='What may differ, one variable or two: "1.0 <= x <= 1.5 and signal is anything".',
            show_default=False,
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            metavar="OUTPUT | BEHAVIOR",
            help='What regions are told apart by: "move", or "brake > 0.5"; the decisions, if not said.',
            show_default=False,
        ),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw it there as well.", show_default=False)
    ] = None,
    project: Project = Path(),
    trace: Log = None,
    step: StepNumber = None,
    as_json: Json = False,
    seconds: Annotated[float | None, typer.Option(metavar="S", min=0.0, help="What the map may take; 60.")] = None,
    resolution: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=4096, help="Follow curved boundaries to the n-th part of the picture."),
    ] = 256,
    window: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Rounds of loops and calls that it has for each decision; soid.toml's."),
    ] = None,
    accept_log_mismatch: Annotated[
        bool,
        typer.Option("--accept-log-mismatch", help="Go on where log and program differ."),
    ] = False,
) -> int:
    """Draw a map of what happens where, along one variable or two: exact regions, each proved."""
    from soid.cli.ask import Options as Asked
    from soid.cli.map import Options, draw_map
    from soid.mapping.partition import Fineness

    asked = Asked((), project, trace, step, as_json, seconds, window=window, accept_log_mismatch=accept_log_mismatch)
    return draw_map(Options(asked, over, by, svg, Fineness(resolution=resolution)))


@app.command("abstraction")
def _abstraction(
    asked: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help="Each in quotes; without one, the manifest's.", show_default=False),
    ] = None,
    case: Annotated[
        Path | None,
        typer.Option("--case", "-c", metavar="FILE", help="Instead, the questions answered in a case file."),
    ] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it there.", show_default=False)] = None,
    project: Project = Path(),
    trace: Log = None,
    step: StepNumber = None,
    as_json: Json = False,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=0.0, help="What a question may take, and its meets again; 60.")
    ] = None,
) -> int:
    """Show what questions have shown of the program: the states that they visited, and what these have in common."""
    from soid.cli.abstraction import abstraction
    from soid.cli.ask import Options

    options = Options(tuple(asked or ()), project, trace, step, as_json, seconds)
    return abstraction(options, case, svg)


@app.command("run", epilog=exits.RUN_HELP)
def _run(
    file: Annotated[Path, typer.Argument(metavar="FILE.soid", help="The script; docs/language.md has its language.")],
    case: Annotated[
        Path | None,
        typer.Option("--case", "-c", metavar="FILE", help="Keep the answers there; what it has is not asked again."),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option("--project", "-p", metavar="PATH", help="The program, if not the one that the script names."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=0.0, help="What one question may take; 60 where not given.")
    ] = None,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show answers with all that they rest on.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the conclusion.")] = False,
) -> int:
    """Run a script: questions that depend on answers, to a conclusion."""
    from soid.cli.run import Options, run

    return run(Options(file, case, project, seconds, as_json, verbose, quiet))


@app.command("investigate")
def _investigate(
    case: Annotated[Path, typer.Argument(metavar="CASE", help="The case file; `soid case new` makes one.")],
    project: Annotated[
        Path | None,
        typer.Option("--project", "-p", metavar="PATH", help="Make the case of this project, if there is none yet."),
    ] = None,
    who: Annotated[str | None, typer.Option(metavar="NAME", help="Who asks; SOID_USER, or who is logged in.")] = None,
    as_json: Json = False,
) -> int:
    """Put questions at a prompt, on the record of a case; `help` there lists what may be typed."""
    from soid.cli.investigate import investigate

    return investigate(case, project, who=who, as_json=as_json)


@app.command("report")
def _report(
    case: Annotated[Path, typer.Argument(metavar="CASE", help="The case file.", show_default=False)],
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="The page; beside the case, if not said.", show_default=False),
    ] = None,
    pdf: Annotated[
        Path | None,
        typer.Option(metavar="FILE.pdf", help="Print it there, where a Chromium is at hand.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    """Write the report of a case: one page for people who do not read code."""
    from soid.cli.report import report_case

    return report_case(case, html, pdf, as_json=as_json)


@app.command(
    "serve",
    epilog="`soid serve crash` makes crash.case of the example, here, and opens it; the next time it goes on with it. "
    "On an address that other machines can reach a token is needed: one is made and printed, if none is given. "
    "Programs find the same under /api, described in /api/openapi.json.",
)
def _serve(
    what: Annotated[
        str,
        typer.Argument(metavar="FOLDER | CASE | PROJECT | EXAMPLE", help="Cases, or what to make one of."),
    ] = ".",
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen: this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0: any that is free.")] = 8080,
    token: Annotated[
        str | None,
        typer.Option(metavar="TEXT", envvar="SOID_TOKEN", help="Let nobody in without it.", show_default=False),
    ] = None,
    opens: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open a browser; where there is a screen.")
    ] = None,
    cores: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many questions at once; one a core.", show_default=False)
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=0.0, help="What one question may take; 60 where not given.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE.pem", help="Serve by https, with this.", show_default=False)
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE.pem", help="The certificate's private key.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Open cases in a browser, for people who never open a terminal."""
    from soid.cli.serve import Options, serve

    return serve(Options(what, host, port, token, opens, cores, seconds, certificate, key, as_json))


@app.command("fmt")
def _fmt(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.soid", help="Scripts; they are written in place.")],
    check: Annotated[bool, typer.Option("--check", help="Change nothing; 1 if a script would be.")] = False,
    as_json: Json = False,
) -> int:
    """Write scripts in the one form that everybody reads: comments stay."""
    from soid.cli.fmt import fmt

    return fmt(files, check=check, as_json=as_json)


@app.command("compile")
def _compile(
    project: Annotated[
        Path, typer.Argument(metavar="PROJECT", help="The folder with the soid.toml, or that file.")
    ] = Path(),
    free: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INPUT", help="Only this input, the others as logged; may be given again.", show_default=False
        ),
    ] = None,
    trace: Log = None,
    step: StepNumber = None,
    as_json: Json = False,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.0, help="What it may take.")] = 600.0,
    window: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Rounds of loops and calls that it has for each decision; soid.toml's."),
    ] = None,
    paths: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Explore no more paths than so many; 100000.")
    ] = None,
    memory: Annotated[
        int | None, typer.Option(metavar="MIB", min=1, help="Explore in no more memory than so much; 4096.")
    ] = None,
) -> int:
    """Find the program's paths ahead of the questions, over all inputs or some: questions then cost solving only."""
    from soid.cli.compile import Options, compile_project

    return compile_project(Options(project, tuple(free or ()), trace, step, as_json, seconds, window, paths, memory))


@app.command("inspect")
def _inspect(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="C files, where there is no soid.toml.", show_default=False),
    ] = None,
    entry: Annotated[
        str | None, typer.Option("--entry", "-e", metavar="NAME", help="Of those files, the function that decides.")
    ] = None,
    include: Annotated[
        list[Path] | None, typer.Option("--include", "-I", metavar="DIR", help="Of those files, a folder for #include.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", metavar="NAME=VALUE", help="Of those files, a macro.")
    ] = None,
    project: Project = Path(),
    trace: Log = None,
    step: StepNumber = None,
    as_json: Json = False,
) -> int:
    """Show the program's variables; with a log or a step, what they were in fact."""
    from soid.cli.inspect import inspect, inspect_sources
    from soid.program.program import CSource

    if not sources:
        return inspect(project, trace, step, as_json=as_json)
    source = CSource(tuple(sources), entry or "", tuple(include or ()), tuple(define or ()))
    return inspect_sources(source, as_json=as_json)


@app.command("doctor")
def _doctor(as_json: Json = False) -> int:
    """Show which solvers and compilers there are, and whether the solvers answer."""
    from soid.cli.doctor import doctor

    return doctor(as_json=as_json)


@app.command("scene")
def _scene(
    question: Annotated[
        str | None, typer.Option(metavar="QUESTION", help="Draw the scenario that answers it beside the fact.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw it there as well.", show_default=False)
    ] = None,
    project: Project = Path(),
    trace: Log = None,
    step: StepNumber = None,
    as_json: Json = False,
) -> int:
    """Draw a moment of the log; with a question, a counterfactual beside it."""
    from soid.cli.scene import Options, scene

    return scene(Options(project, trace, step, question, svg, as_json))


@app.command("demo")
def _demo(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which of the examples.")] = "crash",
    list_all: Annotated[bool, typer.Option("--list", help="Play none: list them.")] = False,
    as_json: Json = False,
) -> int:
    """Play an example: the scene, the questions, the answers, and what they support."""
    from soid.cli.demo import demo, list_demos

    return list_demos(as_json=as_json) if list_all else demo(name, as_json=as_json)


@app.command("bundle")
def _bundle(
    case: Annotated[Path, typer.Argument(metavar="CASE", help="The case file.", show_default=False)],
    to: Annotated[
        Path | None,
        typer.Option("--to", "-o", metavar="FILE.zip", help="Where to; beside the case.", show_default=False),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE.pem", help="Sign it with this private Ed25519 key.", show_default=False)
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.0, help="What proving one formula may take.")] = 60.0,
    as_json: Json = False,
) -> int:
    """Put a case into one file that others can check without trusting anyone."""
    from soid.cli.bundle import bundle_case

    return bundle_case(case, to, key, seconds, as_json=as_json)


@app.command("verify", epilog=exits.VERIFY_HELP)
def _verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE.zip", help="The bundle.", show_default=False)],
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE.pem", help="The public key that must have signed it.", show_default=False),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page for people there.", show_default=False)
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.0, help="What proving one formula may take.")] = 60.0,
    solver: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this solver; may be given again.")
    ] = None,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show all that was looked at.")] = False,
) -> int:
    """Check a bundle: recompile, explore, prove and run everything anew, fact by fact."""
    from soid.cli.verify import verify_bundle

    return verify_bundle(bundle, key, html, seconds, tuple(solver or ()), as_json=as_json, verbose=verbose)


@cache
def _command() -> Any:
    """What typer makes of all that is declared here: once, because it takes longer than many a command."""
    return get_command(app)


def run(arguments: list[str]) -> int:
    """Run one command; wrong use is raised, for `soid.cli.failing` to say."""
    try:
        status = _command()(arguments, prog_name="soid", standalone_mode=False)
    except typer.Abort:  # what some versions of typer make of Ctrl-C; others give its status
        status = exits.INTERRUPTED
    if status == exits.INTERRUPTED:
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


app.add_typer(case_commands, name="case")

examples = typer.Typer(help="The examples, as something to start from.", no_args_is_help=True)
app.add_typer(examples, name="example")


@examples.command("copy")
def _example_copy(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which of them; `soid demo --list` has all.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to; it must be empty, or not there yet.")],
    as_json: Json = False,
) -> int:
    """Copy an example's files: a case of one's own may begin with them."""
    from soid.cli.example import copy_example

    return copy_example(name, folder, as_json=as_json)


bench = typer.Typer(help="Measure how fast soid is on this machine.", no_args_is_help=True)
app.add_typer(bench, name="bench")


@bench.command("engine")
def _bench_engine(
    runs: Annotated[int, typer.Option(metavar="N", min=1, help="How often each figure is measured.")] = 5,
    as_json: Json = False,
) -> int:
    """Instructions a second on concrete code, and seconds for 200 branches on one free float."""
    from soid.cli.bench import bench_engine

    return bench_engine(runs, as_json=as_json)


@bench.command("growth")
def _bench_growth(
    series: Annotated[
        list[str] | None, typer.Argument(metavar="SERIES", help="cars, floats, range, branches, rows; all of them.")
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", min=1, help="How often each question is put.")] = 3,
    limit: Annotated[float, typer.Option(metavar="S", min=0.1, help="Seconds that each question has.")] = 60.0,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw it there as well.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Seconds and memory against the size of a question: cars, free floats, ranges, branches, rows of a table."""
    from soid.cli.bench_growth import bench_growth

    return bench_growth(series or [], runs, limit, as_json=as_json, picture=picture)


@bench.command("check")
def _bench_check(
    runs: Annotated[int, typer.Option(metavar="N", min=1, help="How often each is measured; the least counts.")] = 5,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Compare with this; soid's own.", show_default=False)
    ] = None,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Compare with nothing: store it there.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Whether soid has become slower: ratios inside one run, held to a stored baseline; 1 if it has."""
    from soid.cli.bench_check import bench_check

    return bench_check(runs, baseline, write, as_json=as_json)


@bench.command("peers")
def _bench_peers(
    cbmc: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The cbmc to compare with; on the PATH.", show_default=False)
    ] = None,
    angr: Annotated[
        Path | None, typer.Option(metavar="PYTHON", help="A Python that has angr; this one.", show_default=False)
    ] = None,
    limit: Annotated[
        float, typer.Option(metavar="S", min=0.1, help="Seconds that each tool has for a question.")
    ] = 60.0,
    as_json: Json = False,
) -> int:
    """The same questions in the same run put to cbmc and angr, as assumptions and an assertion."""
    from soid.cli.bench_peers import bench_peers

    return bench_peers(cbmc, angr, limit, as_json=as_json)


@bench.command("paper")
def _bench_paper(
    runs: Annotated[int, typer.Option(metavar="N", min=1, help="How often each figure is measured.")] = 3,
    baseline: Annotated[bool, typer.Option(help="Also measure the paper's recipe: takes minutes.")] = True,
    limit: Annotated[
        float, typer.Option(metavar="S", min=0.0, help="Seconds that its recipe has for a question.")
    ] = 120.0,
    starts: Annotated[bool, typer.Option(help="Also ask again, in fresh processes, and with an empty cache.")] = True,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw the figures there as well.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """The paper's tables measured again, beside its figures, and beside its recipe in the same run."""
    from soid.bench.paper import PaperPlan
    from soid.cli.bench_paper import bench_paper

    plan = PaperPlan(runs, limit if baseline else None, starts=starts)
    return bench_paper(plan, as_json=as_json, picture=picture)
