"""The part of py-executor that lives in the Python processes: it starts, feeds, watches and ends a run.

Read it in this order: `boot` (a process starts), `supervisor` (owns one run), `runner` (becomes the user's script).

Modules here are imported by every interpreter that is started ahead, so they import as little as they can: an `import
json` or `import signal` costs as much as forking a run does.
"""
