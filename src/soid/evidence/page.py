"""What came of checking a bundle, as one page for people: no script, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Final

from soid.evidence.examining import Check
from soid.evidence.report import CheckedFact, Report, Standing

#: what each standing means, for whoever has never heard of it
MEANING: Final = {
    Standing.REPROVED: "The program was compiled and explored anew, every formula derived anew and proved by another "
    "solver, and the scenario run on the compiled program. All of it agrees.",
    Standing.REEXPLORED: "The program was explored anew and nothing speaks against it, but something could not be "
    "settled here: see below.",
    Standing.ATTESTED: "It could not be derived here. Whoever signed the bundle vouches for it, and nothing else does.",
    Standing.UNSUPPORTED: "It could not be derived here, and nobody whom the verifier knows vouches for it.",
    Standing.REFUTED: "Something that was found here contradicts it: see below.",
}
_CLASS: Final = {
    Standing.REPROVED: "good",
    Standing.REEXPLORED: "fair",
    Standing.ATTESTED: "fair",
    Standing.UNSUPPORTED: "bad",
    Standing.REFUTED: "bad",
}
_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-bottom: .2rem } code { overflow-wrap: anywhere }
article { border-left: .3rem solid #999; padding-left: 1rem; margin: 1.5rem 0 }
.good { border-color: #287d3c } .fair { border-color: #b8860b } .bad { border-color: #b22222 }
dt { font-weight: 600 } dd { margin: 0 0 .4rem 1rem } .contradicted { color: #b22222 } .open { color: #8a6508 }
@media print { body { margin: 0 } details { display: block } }
"""


def page(report: Report) -> str:
    """The whole page."""
    title = escape(report.title or report.program)
    facts = "\n".join(_fact(fact) for fact in report.facts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Verified: {title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p><strong>{escape(report.summary)}.</strong></p>
<dl>
<dt>the bundle</dt><dd><code>{escape(report.bundle)}</code>, SHA-256 <code>{report.sha256}</code></dd>
<dt>the record's last hash</dt><dd><code>{report.head}</code>: compare it with what you were given elsewhere</dd>
{_checks(report.checks)}
</dl>
{facts}
</body>
</html>
"""


def _fact(fact: CheckedFact) -> str:
    looked = "".join(f"<li>{escape(text)}</li>" for text in fact.relies_on)
    rests = f"<p>It rests on:</p><ul>{looked}</ul>" if looked else ""
    return f"""<article class="{_CLASS[fact.standing]}">
<h2>Entry {fact.number}: {fact.standing.value}</h2>
<p>{escape(fact.statement)}</p>
<p><code>{escape(fact.question)}</code>: <strong>{escape(fact.verdict)}</strong></p>
<p>{MEANING[fact.standing]}</p>
<details><summary>what was looked at</summary><dl>
{_checks(fact.checks)}
</dl>{rests}</details>
</article>"""


def _checks(checks: tuple[Check, ...]) -> str:
    return "\n".join(
        f'<dt>{escape(check.about)}</dt><dd class="{check.outcome.value}">{escape(check.words)}</dd>'
        for check in checks
    )
