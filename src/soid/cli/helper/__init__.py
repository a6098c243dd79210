"""The resident helper: a process in which soid is loaded already, and which forks once for each command.

    client             a command's first steps: it passes itself on to the helper, and waits; it loads next to nothing
    process_state      what a command must have in common with a helper, so that a fork of the helper can stand for it
    meeting_place      the folder and the sockets where they meet
    resident           the helper: it waits, forks, and ends after some minutes
    fork               a fork of it: it takes over the command's files, folder and environment, and runs the command
    preloaded_modules  what is loaded before the first fork
    loaded_files       whether a file has changed that it was loaded from

A fork does all that the command would have done itself: it opens the project anew, and reads every file. What the
helper has in advance hangs on no file of a project: Python's modules, the grammar of questions, and what LLVM texts
mean, which it looks up by the whole text.
"""
