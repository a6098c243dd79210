"""Work that takes a while, done in processes of its own so that nothing that is served waits for it.

`job.py` is what a caller sees of it, `pool.py` gives jobs to workers, `worker.py` is such a process, `tasks.py` what it
can do.
"""
