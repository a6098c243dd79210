"""Random generators for tests that draw far too much to draw it through hypothesis: from it comes their seed.

`hypothesis.strategies.randoms` wraps every single draw, which costs more than most of what is tested with it, and a
generator of true randomness shrinks no further than its seed there either.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hypothesis import strategies as st

#: a failure shows `Random(seed)`
SEEDED: Final = st.builds(Random, st.integers(0, 2**64 - 1))
