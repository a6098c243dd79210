"""Random small decision logics, written out as projects, and an interpreter of their own that says what is true.

Nothing under here imports soid: what a logic does, which scenarios a question is about, what the verdict and the
witness must be, is worked out by trying every state in plain Python. That is the point of it.
"""
