"""Worker processes: the one way in which soid starts Python processes, talks with them and ends them.

`worker_process.py` is the side that starts a worker, `worker_main.py` is the worker's side, `wire.py` is what goes
between them. The packages that keep pools of processes (multiprocessing, loky, pebble) send pickles. None of them can
hand a message to a process that does not read, or end a worker whose library holds Python's global lock.
"""
