"""Whether a value is as a JSON schema says, for the keywords that clients use in the schemas of their hooks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_TYPES: dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "object": dict,
    "array": list,
    "number": (int, float),
    "integer": int,
}
_BEGIN = re.compile(rb'\{\s*"\$schema": ?"http://json-schema.org/draft-07/schema#"')
_LONGEST = 1 << 16  # bytes of one schema


def flaws(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, place: str = "$") -> list[str]:
    """Return where a value is not as the schema says."""
    root = root or schema
    if "$ref" in schema:
        schema = root["definitions"][schema["$ref"].rpartition("/")[2]]
    found = [flaw for part in schema.get("allOf", []) for flaw in flaws(value, part, root, place)]
    if "type" in schema and not isinstance(value, _TYPES[schema["type"]]):
        found.append(f"{place} is no {schema['type']}")
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        found.append(f"{place} may not be {value!r}")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{place}.{key} is missing" for key in schema.get("required", []) if key not in value]
        if schema.get("additionalProperties") is False:
            found += [f"{place}.{key} is unknown" for key in value.keys() - known.keys()]
        found += [one for key in value.keys() & known for one in flaws(value[key], known[key], root, f"{place}.{key}")]
    return found


def inside(program: Path) -> dict[str, dict[str, Any]]:
    """Return the schemas that a program contains as text, by their titles."""
    data, found = program.read_bytes(), {}
    for begin in _BEGIN.finditer(data):
        text = data[begin.start() : begin.start() + _LONGEST].decode("utf-8", "replace")
        schema, _ = json.JSONDecoder().raw_decode(text)
        found[str(schema.get("title"))] = schema
    return found
