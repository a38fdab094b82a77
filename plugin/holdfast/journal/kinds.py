"""The kinds of facts that a journal can have. Each is declared here once, and nowhere else.

To add a kind, add a row with the keys of its facts in a comment, and a function to `journal.folding`:

    # parked: text, until; the user put the work off until a time.
    "parked": Kind("_parked", "work quoted"),

A row says:

- folded: the name of the function in `journal.folding` that applies the fact to a session, "" if none does.
- traits: words. "own": it comes from the session itself, not from holdfast or a person beside it; its time is a sign of
  life. "work": a settle has something to write into the state file after it. "due": a settle has something to write
  after it, elsewhere if not there. "talk": it only matters to a settle where the state file follows the conversation.
  "quoted": its text is what somebody said, so that `log.said` reads it.
- kept: what a shrunk journal keeps. "all" facts; "bare", all without their text; "none"; or a tuple of keys: the first
  and the last of those facts that are equal in these keys.
- event: the name of the method of `overview.session_events.SessionEvents` that shows it in `holdfast log`, "" if none
  does.

A journal may have other kinds, from another version. They are skipped.
"""


class Kind:
    """What holds for all facts of one kind; see the module."""

    __slots__ = ("due", "event", "folded", "kept", "own", "quoted", "talk", "work")

    def __init__(self, folded: str, traits: str = "", kept: "str | tuple[str, ...]" = "all", event: str = "") -> None:
        words = traits.split()
        self.own, self.work, self.quoted = "own" in words, "work" in words, "quoted" in words
        self.due, self.talk = self.work or "due" in words, "talk" in words
        self.folded, self.kept, self.event = folded, kept, event


# After each name the keys of its facts, beside `at` and `kind`. Paths are relative to `root`, which is left out when it
# is the session's own; paths of files outside are absolute.
KINDS = {
    # What comes from the session itself.
    #
    # start: source, pid, process, host, branch, root, worktree, transcript, folder, parent, origin, client; the session
    # starts or is resumed. `client` is left out for Claude Code. A process that serves many sessions has pid 0.
    "start": Kind("_started", "own", event="started"),
    # prompt: text.
    "prompt": Kind("_prompted", "own talk quoted", event="prompted"),
    # answer: text, background, branch, worktree; the last answer of a turn.
    "answer": Kind("_answered", "own talk quoted", event="moved"),
    # compact: trigger; a compaction was asked for. summary: text; it took place.
    "compact": Kind("", "own talk", event="compacted"),
    "summary": Kind("", "own talk quoted", kept="bare"),
    # end: reason, in the client's word.
    "end": Kind("_ended", "own", event="ended"),
    # crashed: since; its process was gone without an end, as a settle noticed, and this was the last that it did.
    "crashed": Kind("_crashed", "work"),
    # attempt: tool, path, root; a file is about to be edited. edit: tool, path, root; it was.
    "attempt": Kind("", "own talk", kept="none"),
    "edit": Kind("_edited", "own work", kept=("path", "root", "agent", "tool"), event="edited"),
    # worktree: path, branch; the session goes on in another working tree.
    "worktree": Kind("_moved", "own due", event="moved"),
    # proposed: id, text; a plan was shown, with the id of the tool's use and its first line. plan: path, text; the user
    # accepted a plan of this file, `~` is the home folder. refused: id, text, note; the user refused it, and why.
    "proposed": Kind("_proposed", "own due"),
    "plan": Kind("_planned", "own work quoted", event="planned"),
    "refused": Kind("_refused", "quoted"),
    # choice: text; questions of Claude's with choices and what was answered, as `journal.dialogs` writes it.
    "choice": Kind("", "own talk quoted"),
    # asked: text; the client waits for a permission, or for an answer in a dialog. conflict: path, text; before an edit
    # Claude was warned of others who changed the file, in the words that the user saw.
    "asked": Kind("", "own talk", kept="none"),
    "conflict": Kind("", kept="none"),
    # omitted: text; what the summary of a compaction left out, on one line.
    "omitted": Kind("", kept="none"),
    # todos: text; the list of tasks that Claude keeps, as `journal.dialogs` writes it.
    "todos": Kind("_listed", "own work"),
    # task: id, subject, status. task_set: a command set the current task, so earlier facts about tasks do not count.
    "task": Kind("_task_changed", "own work", kept=("id",), event="task"),
    "task_set": Kind("_task_set", "work"),
    # task_over: id, status; a command completed a task of the list, or skipped it ("deleted").
    "task_over": Kind("_task_changed", "work", kept=("id",), event="task"),
    # child: status, type, text, transcript; a subagent started or stopped. It is work only with a type: a subagent
    # without one is the client's summariser.
    "child": Kind("_child_changed", "own work", kept=("agent", "status")),
    #
    # What holdfast adds.
    #
    # update: status, text, request; a `holdfast update`, with the status that it set and its text in the hub's entry. A
    # session that no client started has a journal of these facts only.
    "update": Kind("_updated"),
    # loop: id, title, status; a loop was changed in its shell.
    "loop": Kind("_loop_changed", "work", event="loop"),
    # commit: id, subject, made, paths; made in the session's working tree while it was at work.
    "commit": Kind("_committed", "quoted", event="committed"),
    # remark: id, text, made; what Claude said in mid-turn of something that it gave up. reason: id, text, made; what it
    # said before its first edit in a turn.
    "remark": Kind("", "quoted"),
    "reason": Kind("", "quoted"),
    # ran: id, text, note, made; a run of tests in the shell, and its outcome. undone: id, text, made; edits were taken
    # back with git.
    "ran": Kind("", "quoted"),
    "undone": Kind("", "quoted"),
    # decided: text; a decision that a settle found in the state file for the first time.
    "decided": Kind("_decided", event="decided"),
    # linked: text; the issue of the session, such as #12. tracked: id, type, text, subject; what was read from or
    # written to a tracker, the mark in it, and its address.
    "linked": Kind(""),
    "tracked": Kind(""),
    # zone: zone; its token budget entered this zone.
    "zone": Kind("_zone_entered", "due"),
    # origin: session; whose conversation a fork continues.
    "origin": Kind("_origin_found"),
    # due: work has begun, so a state file is needed. state: path, root, by; it is the session's state file now.
    # released: path; that file is left to the session before, because the work is other work.
    "due": Kind("_state_file_due", "work"),
    "state": Kind("_state_file_claimed", "work"),
    "released": Kind("_state_file_released"),
    # named: title, by; the title that holdfast gave the state file, and where it is from, or "person" for one that a
    # person gave the work.
    "named": Kind("_named", event="named"),
    # blocks: names; the sections that a settle has added to the file, with blanks between.
    "blocks": Kind("_blocks_added"),
    # listed: ids, logged; subagents that the state file lists, and entries of its log as KEY=CHECKSUM, with blanks
    # between.
    "listed": Kind("_children_listed", kept=("ids", "logged")),
    # saved: saved; when a person saved the state file. restored: since; its text of that time was restored.
    "saved": Kind("_saved", kept=()),
    "restored": Kind("_restored", "work"),
    # completed: status; "completed" when the state file says so and the checklist was shown, "" when it no longer
    # says so.
    "completed": Kind("_completed"),
    # status: status, text, branch; a person or a command paused, completed or dropped the work, and why; "" when it
    # goes on. `branch` is the one whose state file says so, "nowhere" for none yet.
    "status": Kind("_status_chosen"),
    # hub: wrote, removed; what was written to its entry, or its child's, in the hub, and who removed the entry, "git"
    # or "hand", if it is missing.
    "hub": Kind("_hub_written", kept=("agent",)),
    # measured: what the completion checklist needs, see context/checklist/unfinished.py.
    "measured": Kind("_measured", kept=()),
    # drift: path, signature, since, points, severity, items; how far the state file is behind, as a settle measured it.
    # reminded: path, since, points; the user was reminded of that drift.
    "drift": Kind("_drifted", kept=()),
    "reminded": Kind("", kept=()),
    # note: text; what could not be done, and why.
    "note": Kind("_noted", kept=()),
    # settled: facts, looked, size, prompts; how many the state file reflects, and what `actions.settle_due` reads: the
    # files on which it depends that talk is not written, the size of the journal, and after how many prompts something
    # is due. pruned: the facts before it were shrunk.
    "settled": Kind("_settled", kept="none"),
    "pruned": Kind("", kept="none"),
}
OWN = frozenset(name for name, kind in KINDS.items() if kind.own)
