"""The names of files that coding clients load as instructions, in any folder of a project."""

_NAMES = frozenset(
    {
        "agent.md",
        "agents.local.md",
        "agents.md",
        "agents.override.md",
        "claude.local.md",
        "claude.md",
        "context.md",
        "conventions.md",
        "copilot-instructions.md",
        "crush.md",
        "gemini.md",
        "qwen.md",
        "skill.md",
        "warp.md",
    }
)
_ENDS = (".instructions.md", ".prompt.md", ".agent.md", ".chatmode.md")


def are_in(name: str) -> bool:
    """Whether a client may load a file of this name as instructions; case does not count, as on some disks."""
    folded = name.casefold()
    return folded in _NAMES or folded.endswith(_ENDS)


def other_name(name: str) -> str:
    """Return the name, or one that no client loads."""
    return f"session-{name.removesuffix('.md').replace('.', '-')}.md" if are_in(name) else name
