# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of row has a maker: it lays out a box by what the row gives, and returns the command to run in it."""


class Command:
    """What to run in a box, and what a good end must have brought."""

    def __init__(self, argv, files=None, **options):
        self.argv = argv
        self.files = files  # where OUT must hold exactly these: path below OUT/pytorch -> (mode, bytes)
        self.program = options.get("program")  # the whole command line, with {torchpatch}; default: the program and argv
        self.environment = options.get("environment", {})
        self.directory = options.get("directory")
        self.umask = options.get("umask", 0o022)
        self.limits = options.get("limits", {})
        self.may_change = options.get("may_change", [])  # besides OUT, cache and state; relative to the box
        self.leaves_out_alone = options.get("leaves_out_alone", True)  # where it does not end well
        self.stdout = options.get("stdout")  # a path to write the result to
        self.then = options.get("then")  # more to check: function(outcome) -> list of problems


class CannotRun(Exception):
    """This row cannot run here; says why."""
