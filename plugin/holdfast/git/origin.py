"""Where the text of a file comes from: its user, or git, which brings what others wrote.

Example: `git pull` writes holdfast.toml. Git has the text as an object, or its index has the time of the file, so the
text is not the user's own. An editor saves the same file: neither holds, until the user commits it, and then the log of
HEAD has that commit as one that `git commit` made here.
"""

import os

from holdfast.git import objects, own_commits, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project


def is_own_text(project: "Project", path: str, data: bytes) -> bool:
    """Whether git neither has the text of a file nor wrote the file last; False where git cannot tell.

    Filters, ident, encodings and mixed line ends make bytes in the working tree that git has no object of.
    """
    return not (project.git and (_is_object(project.root, data) or _is_written_by_git(project, path)))


def is_own_commit(project: "Project", path: str) -> bool:
    """Whether a file is as a commit left it that `git commit` made in this clone; False where git cannot tell."""
    name = project.relative(path)
    code, output, _ = run.run(project.root, "--literal-pathspecs", "log", "-1", "--format=%H", "--", name)
    commit = output.strip().encode()
    if code or not any(os.fsencode(made.name) == commit for made in own_commits.commits(project.common)):
        return False
    return run.run(project.root, "--literal-pathspecs", "diff", "--quiet", "--no-ext-diff", "HEAD", "--", name)[0] == 0


def _is_object(root: str, data: bytes) -> bool:
    """Whether git has a text among its objects; True where git cannot tell."""
    texts = {data, data.replace(b"\r\n", b"\n")}
    names = [objects.blob_name(text, length) for text in texts for length in (objects.SHORT, objects.LONG)]
    asked = "".join(f"{name}\n" for name in names)
    code, output, _ = run.run(root, "cat-file", "--batch-check=%(objecttype)", stdin=asked)
    return bool(code) or any(line == "blob" for line in output.split("\n"))


def _is_written_by_git(project: "Project", path: str) -> bool:
    """Whether git wrote a file last: its index has the time of the file. True where that cannot be told."""
    try:
        seconds, nanoseconds = divmod(os.lstat(path).st_mtime_ns, 1_000_000_000)
    except OSError:
        return True
    name = project.relative(path)
    code, output, _ = run.run(project.root, "--literal-pathspecs", "ls-files", "--debug", "--", name)
    return bool(code) or any(f"  mtime: {seconds}:{part}\n" in output for part in (nanoseconds, 0))
