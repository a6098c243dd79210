"""Long tasks, run in separate processes so that the server stays responsive.

`job.py` is the caller's view of a task, `pool.py` gives tasks to workers, `worker.py` is a worker process, `tasks.py`
has the tasks.
"""
