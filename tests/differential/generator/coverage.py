"""Which features random programs have, and how often.

`python -m tests.differential.generator.coverage 1000`, run at the top of the repository, prints the table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from .model import GeneratedProgram, Mode
from .program import generate

__all__ = ["EXPECTED", "fault_shares", "feature_shares", "report"]

# Every feature that a good sample must show. Those of FAULTY programs alone are counted by `fault_shares`.
_EXPECTED = """
    shape_structs shape_world shape_scalars shape_out_params shape_globals return_value file_static local_static
    port_environment port_state port_parameter port_global port_file_static port_local_static port_decision
    port_out_parameter port_return array_field nested_struct
    type_int8_t type_uint8_t type_int16_t type_uint16_t type_int32_t type_uint32_t type_int64_t type_uint64_t
    type_bool type_char type_enum type_float type_double
    integer_arithmetic integer_division wrap_in_unsigned bitwise shift_left shift_right ternary short_circuit
    int_cast int_to_float float_to_int float_cast int_to_enum float_arithmetic float_compare integer_compare isnan
    math_sqrt math_fabs math_floor math_ceil math_trunc math_rint math_round math_fmod math_copysign math_fma
    math_fmin math_fmax
    if else switch_enum switch_integer switch_fallthrough for while do_while break continue loop_with_input_bound
    goto early_return compound_assignment increment assert unreachable_abort guarded_division guarded_index
    local_array array_load array_store array_sweep constant_table table_2d table_of_structs
    pointer_to_field pointer_to_local pointer_to_element pointer_arithmetic pointer_walk pointer_compare
    pointer_difference pointer_choice null_pointer struct_pointer struct_copy struct_initialiser compound_literal
    memcpy memmove memset bit_field
    call recursion function_pointer pointer_argument struct_pointer_argument struct_by_value array_argument
    """
EXPECTED = frozenset(_EXPECTED.split())


def feature_shares(programs: Iterable[GeneratedProgram]) -> dict[str, float]:
    """For each feature the share of programs that have it, rarest first."""
    counts: Counter[str] = Counter(dict.fromkeys(EXPECTED, 0))
    total = 0
    for program in programs:
        total += 1
        counts.update(program.features)
    return {name: count / total for name, count in sorted(counts.items(), key=lambda item: (item[1], item[0]))}


def fault_shares(programs: Iterable[GeneratedProgram]) -> dict[str, float]:
    """For each kind of fault the share of programs with a guard of that kind left out."""
    counts: Counter[str] = Counter()
    total = 0
    for program in programs:
        total += 1
        counts.update(set(program.fault_sites))
    return {name: count / total for name, count in sorted(counts.items(), key=lambda item: (item[1], item[0]))}


def report(count: int) -> str:
    """The tables for this many seeds, and how long the programs are."""
    safe = [generate(seed, Mode.SAFE) for seed in range(count)]
    faulty = [generate(seed, Mode.FAULTY) for seed in range(count)]
    lengths = sorted(len(p.source.splitlines()) for p in safe)
    middle, most = lengths[count // 2], lengths[count * 95 // 100]
    rows = [f"lines: least {lengths[0]}, median {middle}, 95 % at most {most}, longest {lengths[-1]}"]
    for title, shares in (("features", feature_shares(safe)), ("guards left out", fault_shares(faulty))):
        rows.append(f"{title}, share of {count} programs:")
        rows += [f"  {share:6.1%}  {name}" for name, share in shares.items()]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.stdout.write(report(int(sys.argv[1]) if len(sys.argv) > 1 else 500) + "\n")
