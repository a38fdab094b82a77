"""The files that a patch in the form of OpenAI's tool `apply_patch` changes."""

_HEADINGS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_MOST = 100  # files of one patch that are recorded


def files(patch: object) -> "list[str]":
    """Return the paths of the files that a patch adds, changes, moves or deletes, each once, in its order."""
    found: dict[str, None] = {}
    for line in patch.splitlines() if isinstance(patch, str) else ():
        for heading in _HEADINGS:
            if line.startswith(heading):
                found[line[len(heading) :].strip()] = None
    return [path for path in found if path][:_MOST]
