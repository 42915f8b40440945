"""Calls that have to raise."""


def refused(kind, call, *parts):
    """That a call raises this kind, and its message has these parts."""
    try:
        call()
    except kind as error:
        for part in parts:
            assert part in str(error), f"{part!r} is not in: {error}"
        return error
    raise AssertionError(f"nothing was raised in place of {kind.__name__} {parts}")
