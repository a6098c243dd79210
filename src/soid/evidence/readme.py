"""What a bundle says about itself."""

from typing import Final

README: Final = """\
What this is
============
A case of soid, for whoever does not want to take its word for it: questions that were put to a decision program about a
logged moment, the answers, and what shows that they are true. Nothing in here has to be believed.

To have all of it checked, install soid and run

    soid verify THIS-FILE.zip

It recompiles the program, explores it anew, derives every formula itself, proves it with a solver other than the one
that answered, and runs every scenario on the compiled program. With --key it also checks who signed the bundle.

By hand
=======
manifest.json      lists every file with its SHA-256 (signature.json, if there is one, is Ed25519 over manifest.json):
                       sha256sum project/...
case/chain.jsonl   is the record. Each line's "hash" is the SHA-256 of the line's JSON without that field, keys sorted
                   and without blanks, and the next line's "previous" repeats it. The last hash stands for the case: ask
                   for it by another way, and compare.
project/           is the program with its log, as it was put on the stand.
program/           says how it was compiled, and has what was analysed.
facts/NNNN/        is one fact: entry NNNN of the record.
  fact.json        the question, the verdict, the fact in words, and which formula shows what.
  *.smt2           the formulas. Each says at its top, in words, what it proves, and which answer is expected. Any
                   solver of SMT-LIB will do:
                       z3 complete.smt2        cvc5 explored.smt2        bitwuzla outcome.smt2
  witness.json     the scenario that is shown: its inputs in bits and in words, and what the program did there.
  witness.c        that scenario as a C program, which says whether the decision is the one on record:
                       cc witness.c -lm && ./a.out

What no formula shows is that the paths in paths.smt2 are the program's. `soid verify` finds them anew; by hand, read
the program, or try scenarios of your own with witness.c.
"""
