# SPDX-License-Identifier: BSD-3-Clause
"""How a row of the table writes bytes that JSON has no word for."""


def as_bytes(value, variables=None):
    """Text is UTF-8, with {name} for a variable; {"hex": "ff00"}, {"times": [VALUE, N]}, {"join": [VALUE…]}."""
    if isinstance(value, str):
        for name, text in (variables or {}).items():
            value = value.replace("{%s}" % name, text)
        return value.encode()
    if "hex" in value:
        return bytes.fromhex(value["hex"])
    if "times" in value:
        part, count = value["times"]
        return as_bytes(part, variables) * count
    if "join" in value:
        return b"".join(as_bytes(part, variables) for part in value["join"])
    raise ValueError("no bytes: %r" % (value,))
