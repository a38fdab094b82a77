"""Git's own three-way merge of texts."""

import os
import re
import shlex

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.git.run import run

OURS, BASE, THEIRS = "ours", "base", "theirs"  # the labels of conflict markers
MARKER = 7  # characters of a conflict marker, unless git asks for another number
_MAX_CONFLICTS = 127  # git's exit code is the number of conflicts, up to this


def text(base: bytes, ours: bytes, theirs: bytes, marker: int = MARKER) -> tuple[bytes, bool]:
    """Return the merge of three texts and whether it is free of conflicts; HoldfastError for texts git cannot merge.

    Conflicts are between markers of `marker` characters, with the base where git is configured to show it.
    """
    if theirs in (ours, base):
        return ours, True
    if ours == base:
        return theirs, True
    import tempfile

    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        paths = [f"{folder}/{name}" for name in (OURS, BASE, THEIRS)]
        for path, data in zip(paths, (ours, base, theirs), strict=True):
            with open(path, "wb") as file:
                file.write(data)
        labels = [word for name in (OURS, BASE, THEIRS) for word in ("-L", name)]
        command = ("merge-file", "-p", "-q", f"--marker-size={marker}", *labels, *paths)
        code, output, errors = run(os.getcwd(), *command)
        if 0 < code <= _MAX_CONFLICTS:
            _, whole, _ = run(os.getcwd(), command[0], "--diff3", *command[1:])
            output = _whole_conflicts(output, whole, marker)
    if errors or not 0 <= code <= _MAX_CONFLICTS:
        raise HoldfastError(f"git merge-file failed: {' '.join(errors.split())[:200] or f'exit code {code}'}")
    return os.fsencode(output), code == 0


def _whole_conflicts(output: str, whole: str, marker: int) -> str:
    """Return a merge with its conflicts as git has them in the style that shows the base, which it may not show.

    In its other style git takes lines out of a conflict that are equal on both sides, and lines that one side deleted
    come back.
    """
    if f"\n{'|' * marker} {BASE}" in f"\n{output}":
        return output
    return re.sub(rf"(?ms)^\|{{{marker}}} {BASE}\r?\n.*?^(?=={{{marker}}}\r?$)", "", whole)


NAME = "holdfast"
# The lines for the driver are of a clone, as the driver is. A tree may have some from before.
ATTRIBUTES, COMMITTED = "info/attributes", ".gitattributes"
CONFLICT = 99  # the exit code for parts in conflict; neither a shell nor a program that fails uses it
_OWN = f"merge={NAME}"
_ABOUT = "# Merged by entry and by loop where `holdfast init` has set that up; by lines elsewhere."  # in a tree
_TEXT = "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"


def command(program: str) -> str:
    """Return the command that git runs through a shell.

    When the program is gone, as after an update of the plugin, it is looked for on PATH. Without one git merges by
    lines.
    """
    quoted = shlex.quote(program).replace("%", "%%")
    run_it = f'p={quoted}; [ -x "$p" ] || p=holdfast; "$p" merge-file --conflict {CONFLICT} %O %A %B %L %P'
    return f"{run_it}; case $? in 0) exit 0;; {CONFLICT}) exit 1;; esac; {_TEXT}"


def configure(root: str, program: str) -> bool:
    """Write the driver to the configuration of a repository; return whether that changed anything.

    HoldfastError when the configuration does not have it afterwards.
    """
    settings = {"name": "state files of holdfast, by entry and by loop", "driver": command(program)}
    changed = False
    for key, value in settings.items():
        if configured(root, key) == value:
            continue
        _, _, errors = run(root, "config", "--local", "--replace-all", f"merge.{NAME}.{key}", value)
        if configured(root, key) != value:
            raise HoldfastError(
                f"git did not keep the merge driver in its configuration: {' '.join(errors.split())[:200]}"
            )
        changed = True
    return changed


def configured(root: str, key: str = "driver") -> str:
    """Return a value of the driver from the repository's configuration, "" when it is not set."""
    code, output, _ = run(root, "config", "--local", "-z", "--get", f"merge.{NAME}.{key}")
    return output.removesuffix("\0") if code == 0 else ""


def program(root: str) -> str:
    """Return the path of the program in the configured command, "" for none."""
    words = configured(root).partition(" merge-file ")[0].replace("%%", "%")
    try:
        return next(iter(shlex.split(words)), "").removeprefix("p=").removesuffix(";")
    except ValueError:
        return ""


def remove(root: str) -> list[str]:
    """Remove the driver from the configuration, and its lines from the attributes; return what was done.

    A file with nothing else in it is deleted. All other lines stay.
    """
    report = []
    if configured(root):
        run(root, "config", "--local", "--remove-section", f"merge.{NAME}")
        report = [] if configured(root) else [f"git merges state files by lines again in {root}."]
    _without_lines(_path(root))
    path = f"{root}/{COMMITTED}"
    known = run(root, "ls-files", "--error-unmatch", "--", COMMITTED)[0] == 0
    if not _without_lines(path):
        return report
    commit = "; git has it, so commit that" if known else ""
    if os.path.exists(path):
        return [*report, f"Removed the lines of holdfast from {path}{commit}."]
    return [*report, f"Deleted {path}, which had nothing but the lines of holdfast{commit}."]


def _path(root: str) -> str:
    """Return the path of the attributes of this clone."""
    return os.path.join(root, run(root, "rev-parse", "--git-path", ATTRIBUTES)[1].rstrip("\n"))


def _without_lines(path: str) -> bool:
    """Remove the lines of holdfast from a file, and the file if nothing is left; return whether there were any."""
    data = files.read(path) if os.path.isfile(path) and not os.path.islink(path) else b""
    lines = data.splitlines(keepends=True)
    left = [line for line in lines if line.strip() != _ABOUT.encode() and line.split()[1:] != [_OWN.encode()]]
    if left == lines:
        return False
    if left:
        files.write_atomic(path, b"".join(left))
    else:
        os.unlink(path)
    return True


def assign(root: str, patterns: list[str]) -> None:
    """Add a line to the attributes of this clone for each pattern whose merge nothing there, or in the tree, sets.

    All other lines stay as they are. HoldfastError when the file is a link or not a plain file.
    """
    path = _path(root)
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isfile(path)):
        raise HoldfastError(f"{path} is not a plain file. Move it away.")
    data = files.read(path) if os.path.lexists(path) else b""
    tree = files.read_or_none(f"{root}/{COMMITTED}") or b""
    rows = map(bytes.split, [*data.splitlines(), *tree.splitlines()])
    known = {words[0] for words in rows if any(map(_merges, words[1:]))}
    lines = b"".join(f"{one} {_OWN}\n".encode() for one in dict.fromkeys(patterns) if one.encode() not in known)
    if lines:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_atomic(path, data + (b"" if not data or data.endswith((b"\n", b"\r")) else b"\n") + lines)


def _merges(word: bytes) -> bool:
    """Whether an attribute sets how a file is merged."""
    return word.lstrip(b"-!").partition(b"=")[0] in {b"merge", b"binary"}
