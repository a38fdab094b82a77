"""Entry of the command line: makes the packages importable, or says in one line what is missing."""

import gc
import os
import sys

UNSEEN = "--unseen"  # in the background, where nobody reads the output: a failure goes to the error log

JSON = "--json"


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        return _run()
    except OSError as error:  # a module could not be read, also one that a message needs: too many files are open
        return _fail(f"{error.filename or 'the system'}: {error.strerror or error}. Type: holdfast doctor")


def _run() -> int:
    if sys.version_info < (3, 11):
        return _fail(f"Python 3.11 or newer is needed, this is {sys.version_info[0]}.{sys.version_info[1]}")
    if sys.argv[1:] == ["statusline"]:  # runs after every message of the client, and needs no package
        from holdfast.overview import line

        return line.main()
    from holdfast.project import packages

    if sys.argv[1:] in (["deps"], ["deps", UNSEEN], ["deps", JSON]):
        return _build_packages()
    has_packages = packages.activate()
    if sys.argv[1:2] == ["-C"] and sys.argv[3:5] == ["settle", "--lock"]:
        return _settle(sys.argv[2], int(sys.argv[5])) if has_packages else 1
    return _run_command(has_packages=has_packages)


def _run_command(*, has_packages: bool) -> int:
    """Run a command of the command line and return its exit code; packages that are missing are installed first."""
    from holdfast.cli import main as command_line

    if has_packages:
        return command_line.main()
    text = command_line.text_without_command(sys.argv[1:])
    if text:
        return command_line.print_text(text)
    from holdfast.core.errors import HoldfastError
    from holdfast.project import packages

    sys.stderr.write("holdfast: its packages are being installed, which takes about ten seconds ...\n")
    sys.stderr.flush()
    try:
        packages.build()
    except HoldfastError as error:
        return _fail(f"{error} {packages.RETRY}")
    except KeyboardInterrupt:
        return _fail("stopped, nothing was built. Type: holdfast deps")
    packages.activate()
    return command_line.main()


def _settle(folder: str, lock: int) -> int:
    """Settle in the background what hooks asked for, without what only commands need, and return the exit code."""
    from holdfast.actions import upkeep
    from holdfast.core.errors import HoldfastError
    from holdfast.project import paths

    os.chdir(folder)
    project = paths.locate(folder)
    if not project.store or paths.store_problem(project):
        return 1
    try:
        upkeep.carry_out(project, lock)
    except (HoldfastError, OSError):  # it is in the error log of the project
        return 1
    except Exception as error:  # noqa: BLE001 - a boundary: nobody would see a traceback
        from holdfast.project import error_log

        error_log.record(paths.data_dir(os.environ), "holdfast settle", error)
        return 3
    return 0


def _build_packages() -> int:
    """Run `holdfast deps`, which has to work without the packages, and return the exit code."""
    from holdfast.core.errors import HoldfastError
    from holdfast.project import error_log, packages, paths

    try:
        if sys.stderr:
            sys.stderr.write(packages.announcement())
        sys.stdout.write(packages.build_and_report(json=JSON in sys.argv) + "\n")
    except HoldfastError as error:
        if UNSEEN in sys.argv:
            error_log.record(paths.data_dir(os.environ), "holdfast deps", error)
        return _fail(f"{error} {packages.RETRY}")
    except KeyboardInterrupt:
        return _fail("stopped, nothing was built. Type: holdfast deps")
    return 0


def _fail(problem: str) -> int:
    """Print a problem on standard error, and return the exit code."""
    sys.stderr.write("holdfast: " + problem + "\n")
    return 1


def _exit(code: int) -> None:
    """End the process at once: the normal end of the interpreter takes as long as starting a bare one."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream:  # None when the descriptor was closed
                stream.flush()
    except OSError:
        sys.exit(code)  # reports the problem with the stream
    os._exit(code)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    gc.set_threshold(100_000)  # cycle collection is wasted work in so short a process
    _exit(main())
