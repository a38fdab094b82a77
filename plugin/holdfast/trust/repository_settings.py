"""The settings of a project, as far as the user trusts them: a file that may come from elsewhere has no effect."""

import os

from holdfast.project.settings import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.core.cache import Cache
    from holdfast.project.paths import Project
    from holdfast.project.settings.values import Settings


def usable(root: str, environ: "Mapping[str, str]", cache: "Cache") -> "tuple[Settings, str]":
    """Return the settings in force, and why the project's own are not, "" if they are or there are none."""
    return settings.usable(root, environ, cache, is_trusted)


def of(project: "Project", cache: "Cache | None" = None) -> "tuple[Settings, str]":
    """Return what `usable` does for a project in this environment; without a `cache` its own is read."""
    if cache is None:
        from holdfast.core.cache import Cache

        cache = Cache(project.store)
    return usable(project.target.root, os.environ, cache)


def is_trusted(path: str) -> bool:
    """Whether the user said yes to the settings file at a path, or wrote it here; False for one that is not read."""
    from holdfast.core import files
    from holdfast.project import paths
    from holdfast.trust import clone  # a project without settings of its own does not need it

    data = files.read_or_none(path)
    return data is not None and clone.approves(paths.locate(os.path.dirname(path)), path, data)
