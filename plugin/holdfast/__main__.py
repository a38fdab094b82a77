"""The command line's door: it finds the packages, or says in one line what is missing."""

import os
import sys

UNSEEN = "--unseen"  # nobody reads what it prints, so a failure goes to the error log


def main() -> int:
    """Run the command that was typed and return its exit code."""
    if sys.version_info < (3, 11):
        return _refuse(f"Python 3.11 or newer is needed, this is {sys.version_info[0]}.{sys.version_info[1]}")
    from holdfast import deps, faults, paths
    from holdfast.errors import HoldfastError

    if sys.argv[1:] in (["deps"], ["deps", UNSEEN]):
        try:
            sys.stdout.write(deps.build_told() + "\n")
        except HoldfastError as error:
            if UNSEEN in sys.argv:
                faults.record(paths.data_dir(os.environ), "holdfast deps", error)
            return _refuse(f"{error} {deps.AGAIN}")
        except KeyboardInterrupt:
            return _refuse(f"stopped, nothing was built. {deps.AGAIN}")
        return 0
    if not deps.activate():
        return _refuse(f"the packages it stands on are not installed for this Python yet. {deps.AGAIN}")
    from holdfast.cli.main import main as command_line

    return command_line()


def _refuse(why: str) -> int:
    """Say why nothing was done."""
    sys.stderr.write("holdfast: " + why + "\n")
    return 1


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.exit(main())
