"""Hours of work in minutes, with kills: many sessions, subagents and people, and a check that nothing was lost.

lives.py and typists.py say what everybody does, drawn from one seed; actors.py does it with the real hooks and the real
command line, some of which are ended by kill -9, and reaper.py kills what they left running; editor.py is a person who
saves at any time; acts.py keeps what was tried and what was acknowledged, and checker.py compares that with what
seen.py found in the end. play.py is one seed of it, `python -m tests.soak` ten.

Time is compressed by the settings, not by a clock of its own: whatever is gone is stale at once (`stale_hours` and
`live_minutes` are 0, `overlap_minutes` is 1), and the sessions come in waves, so that what takes a day elsewhere, from
a crash through a sweep to a session that is picked up again, happens within a minute.
"""
