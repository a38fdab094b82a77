"""The settings of a project, as far as the user trusts them: a file that may come from elsewhere has no effect."""

import os

from holdfast.project.settings import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.core.cache import Cache
    from holdfast.project.paths import Project
    from holdfast.project.settings.settings import Trusted
    from holdfast.project.settings.values import Settings


def usable(root: str, environ: "Mapping[str, str]", cache: "Cache") -> "tuple[Settings, str]":
    """Return the settings in force, and why the project's own are not, "" if they are or there are none."""
    return settings.usable(root, environ, cache, is_trusted(cache))


def of(project: "Project", cache: "Cache | None" = None) -> "tuple[Settings, str]":
    """Return what `usable` does for a project in this environment; without a `cache` its own is read."""
    if cache is None:
        from holdfast.core.cache import Cache

        cache = Cache(project.store)
    return usable(project.target.root, os.environ, cache)


def is_trusted(cache: "Cache") -> "Trusted":
    """Return a function that tells whether a file is trusted. Loads what that takes only when it is called."""

    def asked(path: str) -> bool:
        from holdfast.trust.ledger import TrustCheck  # a project without settings of its own does not need it

        return not TrustCheck(cache).untrusted([path])

    return asked
