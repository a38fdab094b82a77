"""What means something in the formats that are read, and the whole files that inputs are made of."""

from __future__ import annotations

from tests.hazards import HAZARDS, VALUES, shapes

MANY = b"9" * 5000  # more digits than Python reads as a number
ODD = (
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\x1b[31m",
    "\u202e\u200b\u2028\x85".encode(),
    "日本🎯\uff1a".encode(),
)
TIMES = (
    b"2026-01-17T16:00:00Z",
    b"2026-01-17 16:00",
    b"0000-00-00",
    b"0001-01-01T00:00:00+14:00",
    b"9999-12-31T23:59Z",
)
JSON = (
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b":",
    b",",
    b"\\u0000",
    b"\\ud800",
    b"1e999",
    b"NaN",
    b"true",
    b"null",
    MANY,
    b"-1",
)
YAML = (
    *(b"---\n", b"...\n", b"- ", b"  ", b": ", b"?", b"&a ", b"*a", b"!!str ", b"|\n", b">-\n", b"|9\n", b"{", b"}"),
    *(b"[", b"]", b"#", b'"', b"'", b"\\x", b"\t", b"<<: *a\n", b"%YAML 9.9\n", b"status: done\n", b"a:\n", b"@", b"`"),
)
MARKDOWN = (
    *(b"# ", b"## ", b"### ", b"---\n", b"===\n", b"***\n", b"- ", b"* ", b"1. ", b"- [ ] ", b"- [x] ", b"> ", b"    "),
    *(b"```\n", b"~~~\n", b"`", b"``", b"|", b"| a | b |\n|---|---|\n", b"\\", b"\\|", b"<!--", b"-->", b"<details>\n"),
    *(b"<next_action>\n", b"</next_action>\n", b"**", b"__", b":", b"**a:** b\n", b"**a**: ", b"[a]: b\n", b"[", b"]("),
    *(b"<!-- holdfast:files -->\n", b"<!-- /holdfast:files -->\n", b"<<<<<<< a\n", b">>>>>>> b\n", b"TBD", b"[Name]"),
    *(
        b"Status: ",
        b"**Status:** done\n",
        b"## Current Context\n",
        b"## Covered\n",
        b"\t",
        b"  \n",
        b"&amp;",
        b"<b>",
        b"\r",
    ),
)
LOOPS = (
    *(
        b'<loop id="LOOP-001" status="open">\n',
        b"</loop>\n",
        b"<loop",
        b"<title>",
        b"</title>",
        b"<outcome>",
        b"</outcome>",
    ),
    *(
        b"<exploring>",
        b"</exploring>",
        b"<status>",
        b"</status>",
        b"<result>",
        b"</result>",
        b"<question>",
        b"/>",
        b'id="',
    ),
    *(b"&lt;", b"&amp;", b"<!--", b"-->", b"```\n", b"~~~\n", b"## Closed\n", b"LOOP-999999", b"'", b"- ", b"    "),
)
VALUE = tuple(value.encode() for value in VALUES)


def files() -> list[bytes]:
    """Return state files of every shape, and those with a hazard."""
    every: list[tuple[str, str]] = [
        *(shapes.AGENTS, shapes.FLAT, shapes.N5, shapes.V1, shapes.GSD_LITE, shapes.GSD, shapes.GENIE),
        *(shapes.CONTINUE, shapes.MEMORY, shapes.CLAUDE, shapes.CONTINUITY, shapes.HANDOFF),
    ]
    return [*(text.encode() for _, text in every), *(hazard.before for hazard in HAZARDS if len(hazard.before) < 5000)]
