"""The checks of `holdfast doctor` about other clients than Claude Code: is the plugin there, trusted, and in use."""

from holdfast.clients import catalogue
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.finding import Finding, result
from holdfast.journal import log
from holdfast.project import extension_registration
from holdfast.project.client_registration import version
from holdfast.project.extension_registration import Codex, Extension, Gemini, Qwen
from holdfast.project.file_registration import Copilot, Droid, Opencode, OwnFile
from holdfast.project.paths import Project

_INSTALL = "Type: holdfast install --client {name}"


def examine(project: Project, now: float) -> list[Finding]:
    """Return a result for each other client that has the plugin; a client that lacks it is the user's choice."""
    latest = log.latest_by_client(project.store)
    findings = _codex(Codex.find(), project, _last_event(latest.get("codex", 0.0), now))
    for client in (Gemini, Qwen):
        findings += _extension(client, project, _last_event(latest.get(client.NAME, 0.0), now))
    for other in (Copilot, Opencode, Droid):
        findings += _own_file(other, _last_event(latest.get(other.NAME, 0.0), now))
    return findings


def _last_event(at: float, now: float) -> str:
    """Return when the last event of a client was in this project."""
    return f"last event {clock.ago(now - at)}" if at else "no event in this project yet"


def _codex(client: Codex | None, project: Project, last_event: str) -> list[Finding]:
    """Check version and trust of the plugin in Codex; the hooks that are not trusted do not run."""
    title, install = catalogue.of("codex").TITLE, _INSTALL.format(name="codex")
    try:
        entry = client.installed() if client else {}
        if not client or not entry:
            return []
        if entry.get("enabled") is False:
            return [result(title, f"the plugin is switched off; {last_event}", "Switch it on in Codex: /plugins")]
        if entry.get("version") != version():
            other = f"plugin {entry.get('version')}, and here is {version()}; {last_event}"
            return [result(title, other, install)]
        hooks = client.hooks(project.root or project.common)
    except HoldfastError as error:
        return [result(title, f"{error}; {last_event}", install)]
    trusted = [hook for hook in hooks if hook.get("trustStatus") in ("trusted", "managed")]
    summary = f"plugin {version()}, {len(trusted)} of {len(hooks)} hooks trusted; {last_event}"
    return [result(title, summary, "" if hooks and len(trusted) == len(hooks) else extension_registration.TRUST)]


def _extension(client: type[Extension], project: Project, last_event: str) -> list[Finding]:
    """Check that the extension of a client leads to this clone, and that its hooks run in the project."""
    source = client.source()
    if not source:
        return []
    known = catalogue.of(client.NAME)
    problem, remedy = client.silenced(project.root or project.common)
    on = f"{0 if problem else len(known.EVENTS)} of {len(known.EVENTS)} hooks on"
    summary = "; ".join(part for part in (problem, f"extension from {source}", on, last_event) if part)
    return [result(known.TITLE, summary, remedy or ("" if client.is_ours() else _INSTALL.format(name=client.NAME)))]


def _own_file(client: type[OwnFile | Droid], last_event: str) -> list[Finding]:
    """Check that the file with the hooks for a client is that of this clone."""
    if not client.is_there():
        return []
    remedy = "" if client.is_ours() else _INSTALL.format(name=client.NAME)
    what = f"{client.WHAT} in {client.file()}"
    summary = f"{what}; {last_event}" if not remedy else f"{what} are from another clone or version; {last_event}"
    return [result(catalogue.of(client.NAME).TITLE, summary, remedy)]
