"""The README.txt of a bundle."""

from typing import Final

README: Final = """\
What this is
============
A case of soid that you can check without trusting its author: questions about a logged moment of a decision program,
the answers, and the evidence that they are true.

To check all of it, install soid and run

    soid verify THIS-FILE.zip

It recompiles the program, explores it again, derives every formula itself, proves it with a solver other than the one
that answered, and runs every scenario on the compiled program. With --key it also checks the signature of the bundle.

By hand
=======
manifest.json      lists every file with its SHA-256 (signature.json, if there is one, is Ed25519 over manifest.json):
                       sha256sum project/...
case/chain.jsonl   is the record. Each line's "hash" is the SHA-256 of the line's JSON without that field, keys sorted
                   and without blanks, and the next line's "previous" repeats it. The last hash identifies the case: get
                   it from another source, and compare.
project/           is the program with its log, as it was investigated.
program/           says how it was compiled, and has the analysed module.
facts/NNNN/        is one fact: entry NNNN of the record.
  fact.json        the question, the verdict, the fact in words, and which formula shows what.
  *.smt2           the formulas. A comment at the top says what each proves, and which answer is expected. Any SMT-LIB
                   solver can check them:
                       z3 complete.smt2        cvc5 explored.smt2        bitwuzla outcome.smt2
  witness.json     the scenario that is shown: its inputs in bits and in words, and what the program did there.
  witness.c        that scenario as a C program, which says whether the decision is the recorded one:
                       cc witness.c -lm && ./a.out

No formula shows that the paths in paths.smt2 are the program's. `soid verify` finds them again; by hand, read the
program, or try scenarios of your own with witness.c.
"""
