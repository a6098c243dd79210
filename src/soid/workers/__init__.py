"""Worker processes: all Python processes that soid starts, communicates with and ends.

`worker_process.py` is the parent's side, `worker_main.py` is the worker's side, `wire.py` is the message format. The
packages for pools of processes (multiprocessing, loky, pebble) send pickles. None of them can send to a process that
does not read, or end a worker whose library holds Python's global lock.
"""
