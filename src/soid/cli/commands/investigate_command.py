"""`soid investigate`: a case at the prompt. Questions and commands go on the record as they are typed.

Ctrl-C calls a running question off, which stays on the record as asked; Ctrl-D leaves.
"""

from __future__ import annotations

from soid.case.case import Case
from soid.cli.command_line.case_options import InvestigateOptions
from soid.cli.commands.case_command import created
from soid.cli.prompt.case_prompt import CasePrompt
from soid.cli.prompt.typed_lines import typed_lines
from soid.cli.terminal.own_key import own_key
from soid.errors import CaseError


def investigate(options: InvestigateOptions) -> int:
    """Do what is typed until the prompt is left; the exit status is 0 whatever was answered."""
    with _opened(options) as case:
        prompt = CasePrompt(case, as_json=options.as_json)
        prompt.greet()
        for line in typed_lines(prompt):
            if not prompt.do(line):
                break
    return 0


def _opened(options: InvestigateOptions) -> Case:
    file = options.case
    if file.exists():
        return Case.open(file, who=options.who, key=own_key())
    if options.project is None:
        raise CaseError(
            f"there is no case {file}", "Make one: soid case new. Or name its project here, which makes it: --project."
        )
    return created(file, options.project, who=options.who)
