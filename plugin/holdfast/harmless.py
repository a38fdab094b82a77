"""What git is told so that a repository's own configuration, attributes and files make it run and wait for nothing.

A clone brings none of that, but an unpacked archive, a shared folder or a submodule may. What a person configured for
every repository (LFS, for one) is theirs, and stays.
"""

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Ask = Callable[..., tuple[int, str, str]]

# No hooks, no file-system monitor, no check of signatures by a program, and nothing in the repositories inside.
QUIET = tuple(
    word
    for setting in (
        f"core.hooksPath={os.devnull}",
        "core.fsmonitor=false",
        "log.showSignature=false",
        "submodule.recurse=false",
    )
    for word in ("-c", setting)
)
SHALLOW = "--ignore-submodules=dirty"  # to look into one runs git there, with the configuration that it has
NO_PROGRAMS = ("--no-ext-diff", "--no-textconv", SHALLOW)  # of a comparison
# What a partial clone lacks is not fetched: that would run whatever its configuration names as a way to get there.
ENVIRONMENT = {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
_FILTERS = ("config", "--show-scope", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$")
_OWN = ("local", "worktree")  # scopes of a configuration that comes with the repository
_READ = (".git/config", ".git/HEAD", ".git/index", ".git/info/attributes", ".git/info/exclude")
_READ_BESIDE = (".gitattributes", ".gitignore")


def without_filters(root: str, ask: "Ask", path: str = "") -> "tuple[str, ...] | None":
    """Return the options that switch off the filters which the repository itself defines; None where one cannot be.

    The filter of `path` stays: what is staged must be what the project wants there, encrypted by git-crypt for one.
    Everything else is only looked at, and git would filter whatever file was saved just before its index was.
    """
    own = _defined(ask(root, *_FILTERS)[1])
    if own and path:
        attribute = ask(root, "--literal-pathspecs", "check-attr", "-z", "filter", "--", path)[1].split("\0")
        own -= {attribute[2]} if len(attribute) > 2 else set()
    if any("=" in name for name in own):  # which git takes for the end of the option's name
        return None
    settings = [f"filter.{name}.{key}" for name in sorted(own) for key in ("clean=", "process=", "required=false")]
    return tuple(word for setting in settings for word in ("-c", setting))


def _defined(listed: str) -> set[str]:
    """Return the names of the filters that a repository's own configuration defines, of git's listing of all."""
    words = listed.split("\0")
    keys = [key.partition("\n")[0] for scope, key in zip(words[::2], words[1::2], strict=False) if scope in _OWN]
    return {key.partition(".")[2].rpartition(".")[0] for key in keys}


def waits(root: str, path: str = "") -> str:
    """Return the file that git would read for ever, "" where all are what they should be.

    Git reads what stands at the names of its own files; a pipe that nobody writes to never ends, nor do some devices.
    """
    folders = [""]
    for name in path.split("/")[:-1]:
        folders.append(f"{folders[-1]}{name}/")
    named = [*_READ, *(folder + name for folder in folders for name in _READ_BESIDE)]
    return next((name for name in named if _is_endless(f"{root}/{name}")), "")


def _is_endless(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
