"""Reads JSON from the standard input and checks what it says: supersteps, or the trace of a profile."""
import json
import sys

data = json.load(sys.stdin)
if sys.argv[1] == "supersteps":
    assert isinstance(data, list) and len(data) == 2, "a list with both spawns"
    print(json.dumps(data, indent=1))
else:
    events = data["traceEvents"]
    assert len(events) >= 4, "three supersteps and a require"
    for event in events:
        assert event["ph"] == "X" and event["dur"] >= 0 and "program.bsgp" in event["args"]["lines"], event
    assert any(event["cat"] == "require" for event in events)
