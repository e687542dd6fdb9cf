# SPDX-License-Identifier: BSD-3-Clause
"""As much of the package packaging as the tree's files use when they are imported."""


class InvalidVersion(ValueError):
    pass


class Version:
    def __init__(self, text):
        self.text = text
