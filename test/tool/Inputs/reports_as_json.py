"""Reads what --check-json has written: is it JSON, and does it say what the program does wrong?"""
import json
import sys

with open(sys.argv[1]) as file:
    whole = json.load(file)
print(f"{whole['errors']} errors, {whole['notes']} notes, {whole['judged']}")
for report in whole["reports"]:
    print(f"{report['place']['at']['line']}: {report['severity']} {report['kind']} {report['what']}: {report['message']}")
    if "other" in report:
        print(f"  other: line {report['other']['at']['line']}, thread {report['other']['thread']} {report['other']['access']}s after {report['place']['thread']}")
    if "memory" in report:
        print(f"  {report['memory']['name']} of {report['memory']['elements']}, {report['elements']} at {report['ranges']}")
    assert ("access" in report["place"]) == (report["what"] != "value"), report
for leak in whole.get("leaks", []):
    print(f"never freed: line {leak['allocated']['line']}, {leak['allocations']} allocations of {leak['type']}, {leak['bytes']} bytes")
