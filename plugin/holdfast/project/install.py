"""The work of install.sh and `holdfast install`.

Each step looks first, reports what it did, and is undone when a later one fails.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from holdfast.clients import catalogue
from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.project import claude_registration, packages, paths
from holdfast.project.claude_registration import Claude
from holdfast.project.client_registration import last_line, run
from holdfast.project.extension_registration import Codex, Extension, Gemini, Qwen
from holdfast.project.file_registration import Copilot, Droid, Opencode, OwnFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import ExitStack

LAUNCH = paths.PLUGIN_ROOT + "/hooks/launch"
COMMAND = paths.PLUGIN_ROOT + "/bin/holdfast"
IS_WHEEL = paths.PLUGIN_ROOT.endswith("/share/holdfast")  # a wheel brings the whole plugin along as data
NAME = "holdfast install" if IS_WHEEL else "install.sh"
SCRIPT = NAME if IS_WHEEL else paths.PLUGIN_ROOT + "/install.sh"  # what to type


CLIENTS: dict[str, type[Claude | Codex | Extension | OwnFile | Droid]] = {  # name: what registers holdfast with it
    "claude-code": Claude,
    "codex": Codex,
    "gemini": Gemini,
    "qwen": Qwen,
    "copilot": Copilot,
    "opencode": Opencode,
    "droid": Droid,
}


def install(
    scope: str,
    say: Callable[[str], None],
    *,
    name: str = "claude-code",
    with_status_line: bool = False,
) -> None:
    """Install everything for one scope in the client `name`, or nothing at all; also the status line if asked for."""
    kind = CLIENTS[name]
    program, title, client = kind.NAME, catalogue.of(name).TITLE, kind.find()
    with contextlib.ExitStack() as undo:
        if not IS_WHEEL:  # the installer of a wheel makes the command, and removes it
            _check_link()
        _make_folders(undo)
        if client:
            client.check()
        _remember_python(undo)
        say(_build_packages(undo))
        if not IS_WHEEL:
            say(_link_command(undo))
        if client:
            for line in client.add(scope, undo):
                say(line)
        else:
            option = f" --client {name}" if program != "claude" else ""
            say(f"plugin: not installed: `{program}` is not on PATH. When {title} is installed, type: {SCRIPT}{option}")
        if with_status_line:
            say(claude_registration.add_status_line())
            undo.callback(claude_registration.remove_status_line)
        say("")
        # What it prints would suggest to prepare this clone.
        null = subprocess.DEVNULL
        if subprocess.run([COMMAND, "brief"], check=False, stdin=null, stdout=null).returncode:
            raise HoldfastError(f"`{COMMAND} brief` failed; its message is above.")
        typed = ", or in Claude Code: /holdfast:init" if client and program == "claude" else ""
        say(f"Next, in a project of yours: {paths.typed()} init{typed}")
        undo.pop_all()


def demo() -> int:
    """Play the demo and return its exit code; packages that are missing are built for it alone, and removed."""
    if packages.ready():
        return subprocess.run([COMMAND, "demo"], check=False).returncode
    with tempfile.TemporaryDirectory(prefix="holdfast-packages-") as folder:
        environment = {**os.environ, "HOLDFAST_DATA": folder}
        built = subprocess.run([COMMAND, "deps"], env=environment, check=False, stdout=subprocess.DEVNULL)
        return built.returncode or subprocess.run([COMMAND, "demo"], env=environment, check=False).returncode


def leave(name: str, say: Callable[[str], None]) -> None:
    """Remove the plugin from one client; command and packages stay as long as another client has it."""
    _leave(name, say)
    users = [
        catalogue.of(other).TITLE for other, kind in CLIENTS.items() if (client := kind.find()) and client.is_ours()
    ]
    if users:
        say(f"command, packages: they stay for {', '.join(users)}")
    else:
        _take_away(say)


def _leave(name: str, say: Callable[[str], None]) -> None:
    kind = CLIENTS[name]
    client = kind.find()
    say(client.remove() if client else f"plugin: `{kind.NAME}` is not on PATH, so nothing was removed there")


def uninstall(say: Callable[[str], None], *, everything: bool) -> None:
    """Remove what `install` adds, in all clients; with `everything` also what was kept, and say what stays."""
    for name, kind in CLIENTS.items():
        if kind is Claude:
            _leave(name, say)
        elif client := kind.find():
            say(f"{catalogue.of(name).TITLE}: {client.remove()}")
    roots = _noted(_data())
    _take_away(say)
    _rest(roots, say, everything=everything)


def _kept(roots: list[str]) -> list[str]:
    """Return the folders that hold what was kept: journals of these projects, the user's settings and answers."""
    home = os.environ.get("HOME", "")
    config, share = (
        f"{os.environ.get(name) or home + below}/holdfast"
        for name, below in (("XDG_CONFIG_HOME", "/.config"), ("XDG_DATA_HOME", "/.local/share"))
    )
    stores = (paths.locate(root).store or paths.store_outside_git(root) for root in roots)
    return [one for one in dict.fromkeys((*stores, config, share)) if one.startswith("/") and os.path.isdir(one)]


def _has_private_files(folder: str) -> bool:
    """Whether a store has the state files of a project that keeps them out of its tree."""
    return any(name.endswith(".md") for _, _, names in os.walk(f"{folder}/private/.agents") for name in names)


def _remove_all_but(folder: str, kept: str) -> None:
    """Remove a folder, or what is in it where one name of it is kept."""
    if not kept:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for name in filter(lambda one: one != kept, os.listdir(folder)):
        path = f"{folder}/{name}"
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            _unlink(path)


def _rest(roots: list[str], say: Callable[[str], None], *, everything: bool) -> None:
    """Say what stays, where, and the command that removes it; with `everything` that is done here."""
    for folder in _kept(roots):
        private = _has_private_files(folder)
        if everything:
            _remove_all_but(folder, "private" if private else "")
        whose = f", your private state files: rm -r {shlex.quote(folder)}" if everything and private else ""
        say(f"{'stays' if os.path.isdir(folder) else 'removed'}: {folder}{whose}")
    for root in roots:
        if os.path.isdir(f"{root}/.agents"):
            say(f"stays: {root}/.agents, your state files: git -C {shlex.quote(root)} rm -rf .agents")
    if everything or not _kept(roots):
        _unlink(_data() + paths.REPOSITORIES)
        _remove_folder(_data())
    else:
        say(f"To remove all but state files: {SCRIPT} --uninstall --all")


def _take_away(say: Callable[[str], None]) -> None:
    """Remove the command, the packages, and what was set up outside of clients."""
    data, link = _data(), _link()
    made = _made_folders(data)
    if IS_WHEEL:
        say("command: remove it as you installed it, such as: pipx uninstall holdfast")
    else:
        _unlink_command(link, say)
    for root in _noted(data):
        if done := _last(run(COMMAND, "-C", root, "init", "--without-merges")):
            say(f"merges: {done}")
    if os.path.exists(data + claude_registration.KEPT_STATUS_LINE):
        say(claude_registration.remove_status_line())
    packages.remove()
    if not _kept(_noted(data)):
        _unlink(data + paths.REPOSITORIES)
    for name in ("/python", "/errors.log", "/errors.log.1", _MADE):
        _unlink(data + name)
    for folder in (data, *reversed(made)):
        _remove_folder(folder)
    say(f"packages: removed from {data}")


def _unlink_command(link: str, say: Callable[[str], None]) -> None:
    """Remove the link to this clone's command."""
    if _is_ours(link):
        os.unlink(link)
    say(
        f"command: {link} "
        + ("is not from this clone; it stays" if os.path.lexists(link) else "does not exist any more")
    )


def _noted(data: str) -> list[str]:
    """Return the projects that still exist in which sessions ran, or git merges with holdfast."""
    with (
        contextlib.suppress(OSError),
        open(data + paths.REPOSITORIES, encoding="utf-8", errors="surrogateescape") as file,
    ):
        return [root for root in file.read().splitlines() if os.path.isdir(root)]
    return []


def _last(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a command printed, in one line."""
    return "; ".join((done.stdout + done.stderr).split("\n")).strip("; ")


def _data() -> str:
    """Return the data folder; HoldfastError without a home."""
    home = os.environ.get("HOME", "")
    if not os.path.isdir(home):
        raise HoldfastError(f"HOME is not a folder ({home or 'not set'}); set it.")
    return paths.data_dir(os.environ)


def _make_folders(undo: ExitStack) -> None:
    """Make the folders that are needed, check that they are writable, and record the new ones."""
    data, made = _data(), list[str]()
    for folder in (data,) if IS_WHEEL else (data, os.path.dirname(_link())):
        try:
            make_folder(folder, made, undo)
            probe = f"{folder}/.holdfast-{os.getpid()}"
            os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            os.unlink(probe)
        except OSError as error:
            why = f"{error.strerror}: {error.filename}"
            raise HoldfastError(f"cannot write to {folder} ({why}); correct that.") from error
    if made:
        undo.callback(_unlink, data + _MADE)
        _record_folders(_data(), made)


def _remember_python(undo: ExitStack) -> None:
    """Let the launcher find a Python and record it; a recorded one that no longer starts is forgotten first."""
    recorded = _data() + "/python"
    if not os.path.exists(recorded):
        undo.callback(_unlink, recorded)
    elif run(LAUNCH, "-c", "pass").returncode:
        os.unlink(recorded)
    _must(run(LAUNCH, "-c", "pass"))


def _build_packages(undo: ExitStack) -> str:
    """Build the dependency folder with the recorded Python, which may not be the one that runs this."""
    if not any(name.startswith("site-") for name in os.listdir(_data())):
        undo.callback(packages.remove)
    sys.stderr.write(packages.announcement())
    return _must(run(COMMAND, "deps"))


def _must(done: subprocess.CompletedProcess[str]) -> str:
    """Return the output of one of our own commands; HoldfastError with its last line when it failed."""
    if done.returncode:
        raise HoldfastError(last_line(done).removeprefix("holdfast: ").removesuffix(packages.RETRY).rstrip())
    return done.stdout.strip()


def _link() -> str:
    """Return the path of the link to the command."""
    return os.environ.get("HOME", "") + "/.local/bin/holdfast"


def _is_ours(link: str) -> bool:
    """Whether a link leads to this clone's command."""
    return os.path.islink(link) and os.path.realpath(link) == COMMAND


def _check_link() -> None:
    """Raise HoldfastError when something else is at the path of the link; a link to a removed clone is replaced."""
    link = _link()
    target = os.readlink(link) if os.path.islink(link) else ""
    gone = target.endswith("/bin/holdfast") and not os.path.exists(link)
    if os.path.lexists(link) and not gone and not _is_ours(link):
        problem = f"leads to {target}" if target else "is not from holdfast"
        raise HoldfastError(f"{link} already exists and {problem}; move it away.")


def _link_command(undo: ExitStack) -> str:
    """Link the command in ~/.local/bin; return the line for the user, which says so when that is not on PATH."""
    link, word = _link(), "already"
    if not _is_ours(link):
        word = "linked"
        undo.callback(_unlink, link)
        _unlink(link)
        os.symlink(COMMAND, link)
    folder = os.path.dirname(link)
    known = folder in (entry.rstrip("/") for entry in os.environ.get("PATH", "").split(":"))
    hint = f'\n  {folder} is not on PATH; add this to your shell\'s profile: export PATH="{folder}:$PATH"'
    return f"command: {word} {link}" + ("" if known else hint)


def main(args: Sequence[str] | None = None) -> int:
    """Install or uninstall, as the options say, and return the exit code."""
    parser = argparse.ArgumentParser(NAME, description="Install holdfast in a coding client for the current user.")
    parser.add_argument("--client", choices=CLIENTS, help="which client; without it Claude Code")
    parser.add_argument("--scope", choices=("user", "project", "local"), default="user", help="who gets the plugin")
    parser.add_argument("--demo", action="store_true", help="only show what holdfast does, and leave nothing behind")
    parser.add_argument("--uninstall", action="store_true", help="remove exactly what installing added")
    parser.add_argument("--all", action="store_true", help="with --uninstall: journals, trust and settings, too")
    parser.add_argument("--json", action="store_true", help="print the steps as one line of JSON at the end")
    parser.add_argument("--statusline", action="store_true", help="also: the status line in Claude Code")
    options = parser.parse_args(args)
    if options.demo:
        return demo()
    chosen = f" --client {options.client}" if options.client else ""
    retry = f"Then type: {SCRIPT}{chosen}" + (" --uninstall" if options.uninstall else "")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    steps: list[str] = []
    say = steps.append if options.json else _say
    try:
        if options.uninstall and options.client:
            leave(options.client, say)
        elif options.uninstall:
            uninstall(say, everything=options.all)
        else:
            install(options.scope, say, name=options.client or "claude-code", with_status_line=options.statusline)
        if options.json:
            _say(fast_json.dumps({"steps": [step for step in steps if step]}))
    except (HoldfastError, OSError) as error:
        sys.stderr.write(f"{NAME}: {error} {retry}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write(f"{NAME}: stopped. {retry}\n")
        return 130
    return 0


def _say(line: str) -> None:
    """Print a line at once, so that the user sees each step."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


_MADE = "/folders-made"  # in the data folder: the folders that installs made


def _record_folders(data: str, made: list[str]) -> None:
    """Record folders that an install made, so that uninstalling removes them."""
    with open(data + _MADE, "a", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(f"{folder}\n" for folder in made)


def make_folder(folder: str, made: list[str], undo: ExitStack) -> None:
    """Make a folder with its parents; an undo removes the empty ones."""
    if not os.path.isdir(folder):
        make_folder(os.path.dirname(folder), made, undo)
        undo.callback(_remove_folder, folder)
        os.mkdir(folder)
        made.append(folder)


def _made_folders(data: str) -> list[str]:
    """Return the folders that installs made, parents first."""
    with contextlib.suppress(OSError), open(data + _MADE, encoding="utf-8", errors="surrogateescape") as file:
        return file.read().splitlines()
    return []


def _remove_folder(folder: str) -> None:
    """Remove a folder if it is there and empty."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _unlink(path: str) -> None:
    """Remove a file if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


if __name__ == "__main__":
    sys.exit(main())
