"""Options for git so that a hostile repository cannot make it run a program or wait for ever.

A clone has no configuration of its own, but an unpacked archive, a shared folder or a submodule may have one. The
user's own configuration for all repositories, such as Git LFS, stays in force.
"""

import os
import stat

from holdfast.core import files
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

# No hooks, no file-system monitor, no program that lists refs of alternates or checks signatures, nothing inside
# submodules, and no bare repository that is found as a directory (git 2.38 and later; older ones ignore it).
SAFE_OPTIONS = tuple(
    word
    for setting in (
        f"core.hooksPath={os.devnull}",
        "core.fsmonitor=false",
        "core.alternateRefsCommand=true",
        "log.showSignature=false",
        "submodule.recurse=false",
        "safe.bareRepository=explicit",
    )
    for word in ("-c", setting)
)
IGNORE_SUBMODULES = "--ignore-submodules=dirty"  # or git runs in the submodule, with its configuration
SAFE_DIFF = ("--no-ext-diff", "--no-textconv", IGNORE_SUBMODULES)  # options for every command that compares
# Missing objects of a partial clone are not fetched: the configuration could name any program for that.
ENVIRONMENT = {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
_FILTERS = ("config", "--show-scope", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$")
_HOOKS = ("config", "--show-scope", "-z", "--get-regexp", r"^hook\..*\.(command|event)$")
REPOSITORY_SCOPES = ("local", "worktree")  # of settings that come with the repository
_READ = (".git/config", ".git/HEAD", ".git/index", ".git/info/attributes", ".git/info/exclude")
_READ_IN_FOLDERS = (".gitattributes", ".gitignore")


def disable_hooks(root: str, run: "Run") -> "tuple[str, ...] | None":
    """Return the options that disable the hooks which the repository's configuration defines; None when one cannot be.

    `run` runs git. Configured hooks are new in git 2.54, and `core.hooksPath` does not disable them (git-hook(1)).
    """
    own = _defined(run(root, *_HOOKS)[1]) if _may_define(root, b"[hook") else set()
    if any("=" in name for name in own):  # git reads it as the end of the name
        return None
    return tuple(word for name in sorted(own) for word in ("-c", f"hook.{name}.enabled=false"))


def disable_filters(root: str, run: "Run", path: str = "") -> "tuple[str, ...] | None":
    """Return the options that disable the filters which the repository defines; None when one cannot be disabled.

    `run` runs git. The filter of `path` stays, because it decides what is staged (git-crypt encrypts with one). Other
    files need none, but git would filter each one that was saved shortly before the index.
    """
    own = _defined(run(root, *_FILTERS)[1]) if may_define_filters(root) else set[str]()
    if own and path:
        attribute = run(root, "--literal-pathspecs", "check-attr", "-z", "filter", "--", path)[1].split("\0")
        own -= {attribute[2]} if len(attribute) > 2 else set()
    if any("=" in name for name in own):  # git reads it as the end of the name
        return None
    settings = [f"filter.{name}.{key}" for name in sorted(own) for key in ("clean=", "process=", "required=false")]
    return tuple(word for setting in settings for word in ("-c", setting))


def own_filter(root: str, run: "Run", path: str) -> str:
    """Return the filter commands that the repository defines for a file, one `key = value` per line; "" for none."""
    if not may_define_filters(root):
        return ""
    attribute = run(root, "--literal-pathspecs", "check-attr", "-z", "filter", "--", path)[1].split("\0")
    words = run(root, *_FILTERS)[1].split("\0")
    prefix = f"filter.{attribute[2] if len(attribute) > 2 else ''}."
    return "".join(
        f"{key} = {value}\n"
        for scope, word in zip(words[::2], words[1::2], strict=False)
        for key, _, value in [word.partition("\n")]
        if scope in REPOSITORY_SCOPES and key.rpartition(".")[0] + "." == prefix
    )


def may_define_filters(root: str) -> bool:
    """Whether the repository's own configuration may define a filter."""
    return _may_define(root, b"filter")


def _may_define(root: str, word: bytes) -> bool:
    """Whether the repository's own configuration has a word in it, or includes another file.

    Most repositories do neither, and need no start of git to say so.
    """
    home = paths.locate(root)
    for path in (f"{home.common}/config", f"{home.git}/config.worktree"):
        try:
            text = files.read(path).lower()
        except FileNotFoundError:
            continue
        except OSError:  # git has its own rules for such a file
            return True
        if word in text or b"include" in text:
            return True
    return not home.git


def _defined(listed: str) -> set[str]:
    """Return the names of the filters or hooks that the repository defines, from the output of `git config`."""
    words = listed.split("\0")
    keys = [
        key.partition("\n")[0]
        for scope, key in zip(words[::2], words[1::2], strict=False)
        if scope in REPOSITORY_SCOPES
    ]
    return {key.partition(".")[2].rpartition(".")[0] for key in keys}


def endless_file(root: str, path: str = "") -> str:
    """Return a file that git would read for ever, "" when there is none.

    git opens its own files by name, in `root` and in each folder down to `path`. A pipe without a writer never ends,
    and some devices do not either.
    """
    folders = [""]
    for name in path.split("/")[:-1]:
        folders.append(f"{folders[-1]}{name}/")
    named = [*_READ, *(folder + name for folder in folders for name in _READ_IN_FOLDERS)]
    return next((name for name in named if _is_endless(f"{root}/{name}")), "")


def _is_endless(path: str) -> bool:
    """Whether a path is a pipe or a device."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
