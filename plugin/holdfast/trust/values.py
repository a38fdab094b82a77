"""Whether a value beside a name, or a text by itself, is a secret: random characters, not code or words."""

import re

from holdfast.trust import randomness, secret_names

# Names whose value is a secret unless it is code; beside any other name only random characters are one.
_LOCAL = "|".join(rf"^{word}[0-9]?$" for word in secret_names.PASSWORD_WORDS)
_STRONG = re.compile(
    rf"{_LOCAL}|"
    r"passe$|pass(?:w|ph|$|_?(?:code|key))|^pwd|^pass_|secret|^auth(?:orization|_?token|_?key)|credential|api[_-]?key"
    r"|token(?!s|iz)|(?:access|private|secret|encryption|signing|account)[_-]?key"
)
# How a name ends that says something about a secret.
_ABOUT = re.compile(
    r"(?:algorithm|alias|arn|budget|class|count|field|form|kind|label|length|limit|name|size|spec|store|title|type"
    r"|ur[il]|usage|version)\Z"
)
# Names after which a value that only ends in digits is a secret where it is joined by `=`, and where it is a number.
_WEAK = re.compile(r"(?:auth|cookie|sig|tokens)\Z")
_NUMBERED = re.compile(r"(?:(?:api|auth|access|bot|client|refresh|private)[_-]?)?(?:token|secret|key)\Z")
_PASSWORD = re.compile(rf"pass(?:w|ph|$|_)|pwd|^pw[0-9 ]|{_LOCAL}|" + "|".join(secret_names.PASSWORD_WORDS[:-1]))
_WORDS = frozenset(
    (
        *("none", "null", "true", "false", "required", "optional", "string", "bytes", "expired", "changed", "missing"),
        *("invalid", "incorrect", "unknown", "default", "password", "secret", "token", "hidden", "disabled", "enabled"),
        *("protected", "encrypted", "redacted", "masked", "undefined", "nothing", "empty", "varchar", "integer"),
        *("boolean", "object", "number", "plaintext", "hashed", "forgotten", "prompt", "validation", "confirm"),
    )
)
_CODE = re.compile(r"[A-Za-z_][\w.]*[\[({]|[\[({<]|\$\{?[A-Za-z_(]|%[(sd]|\.\.\.|&[a-z#]|\\|lambda\b|[fbr]\"")
# What begins as a variable, a tuple or a path does, and is none, because its letters and digits alternate twice.
_ALTERNATING = r"(?:[A-Za-z]+|(?=\d))\d+[A-Za-z]+\d"
_NO_CODE = re.compile(rf"\$[A-Za-z]{_ALTERNATING}|\({_ALTERNATING}[^\s()]*\Z")
_NO_PATH = re.compile(rf"/{_ALTERNATING}")
_UNFINISHED = re.compile(r"\s[\"'`]\Z")  # a text to which something is joined, as in 'Bearer ' + key
_IDENTIFIER = re.compile(r"\.{0,2}[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*[.:]?")
_NUMBER = re.compile(r"[-+~^v]?\d[\d_.,:/x-]*(?:%|k|m|ms|s|kb|mb|gb)?", re.IGNORECASE)
_VERSION = re.compile(r"[\^~v]?\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+.][\w.+-]*)?")
_COLOUR = re.compile(r"#[0-9a-f]{3,8}", re.IGNORECASE)
_OTHER_NAME = re.compile(r"sig(?!$|s$|nature|[_0-9])[a-z]*|author(?:s|ed|ing|ity)?")  # sight, signal, author
_MIXED = re.compile(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d")
_PARTS = re.compile(r"[-_./:@~+=,]+")
_PHRASE = re.compile(r"[A-Za-z]{3,}(?:-[A-Za-z]{3,})+")
# How a word with a hyphen ends that describes a password: case-sensitive, hard-coded, read-only, up-to-date.
_DESCRIBES = re.compile(
    r"-(?:\w+(?:ed|ing|ive|[ai]ble|less)|only|free|time|known|date|word|long|short|strong|weak|field|file|safe|set"
    r"|based|reset|manager|policy|protection|hash|like|text|hidden|specific|dependent|wide|proof|side|encrypted|token|credentials?)\Z",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}[ \t]*\r?\n")  # the value of a name in YAML begins on the next line
_JOINS = re.compile(r"[A-Za-z_]\w*[=:]")  # a name that is joined to a value of its own
_PORTS = re.compile(r"(?:[\d.]+:)?\d+:\d+(?:/[a-z]{3,4})?")  # docker run -p 8080:80
# Words of technique that have digits, within a name, as in OAuth2Token and Ed25519Key.
_TECHNIQUES = (
    r"[xX]?[oO]?[aA]uth2|[sS]3|[eE][cC]2|[eE][dD]\d{3,5}|[xX]509|[kK]8s|[mM][dD]5|[kK]rb5|[hH]ttp[123]|[iI][pP]v[46]|[vV]\d"
    r"|(?:[sS]ha|[rR]sa|[aA]es|[bB]ase|[hH]s|[rR]s|[eE]s|[uU]tf|[iI]nt|[pP]kcs|[uU]sr|[sS]igusr)\d{1,3}"
)
_TECHNIQUE = re.compile(rf"(?:(?<![A-Za-z0-9])(?i:{_TECHNIQUES})|(?<=[a-zX])(?=[A-Z])(?:{_TECHNIQUES}))(?![a-z0-9])")
_MEMBER = re.compile(
    r"(?:this|self|process\.env|import\.meta\.env|exports|module|config|settings|options)\.[A-Za-z_][\w.]*"
)
_DIGEST_LEAD = re.compile(r"sha(?:1|256|384|512)-")  # of the integrity of a package
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_LOGIN = re.compile(r"[A-Za-z][a-z._-]{0,15}|[A-Za-z]{1,16}")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_FOLDER = re.compile(r"/[A-Za-z]?[a-z]{1,24}/")
_FOLDERS = re.compile(r"[a-z]{3,}(?:-[a-z]{2,})*(?:/[a-z]{2,}(?:-[a-z]{2,})*){2,}")
_FILE = re.compile(r"\w/\w.*\.[a-z]{1,4}\Z")
_ENDING = re.compile(r"\.[A-Za-z]{1,5}\b(?!\.)")
_AFTER = re.compile(r"[^\s\"'`,;)]{0,60}")
_OPENING = re.compile(r"[\"'`=(,;]")
_DIGEST = re.compile(
    r"(?:sha|md5|[d]igest|checksum|hash|crc|fingerprint|integrity|blob|tree|commit|etag)[a-z0-9_ ]{0,12}"
    r"[\\\"']{0,4}[ :=-]{0,4}[\\\"']{0,4}\Z",
    re.IGNORECASE,
)
_SET = re.compile(r"(?:vault login|(?:env|setx|config(?:ure)? set) +\S+)[ \t]+", re.IGNORECASE)
_SAID = tuple(f" {word}" for word in (*secret_names.IS, *secret_names.ADVERBS))  # the end of what joins in a sentence
_NEAR = 160  # characters before a text that decide whether it is part of a path
_SHORTEST, _LEAST, _TOKEN = 4, 6, 8  # characters of a typed value, of a part of a key, and of any other secret
_SHORT_PASSWORD, _VARIABLE = 5, 7  # of one with a digit or joined by `=`, and of a variable such as SSH_KEY
_OPTION = 3  # characters of an option of one letter


def is_named_secret(name: str, whole: str, joint: str, value: str, *, alone: bool) -> bool:
    """Return whether a value is a secret that is joined to a name such as password or key.

    `whole` is the name with the word before it, such as api_key for the name key. `alone` says that the two have
    a line for themselves.
    """
    capitals, whole = name.isupper(), whole.casefold().replace("-", "_").replace(" ", "_")
    name, plain, quoted = name.casefold().replace("-", "_"), _bare(value), value[:1] in "\"'`"
    if _IDENTIFIER.fullmatch(plain):
        plain = _TECHNIQUE.sub("", plain)
    names = () if _ABOUT.search(name) else (name, whole)
    strong, digit = any(map(_STRONG.search, names)), any(map(str.isdigit, plain))
    password = bool(names and _PASSWORD.search(name))
    unfinished = _UNFINISHED.search(value) or _is_code(plain)
    short = joint == "=" or (digit and not (capitals and name == "pass"))  # not the result of a test: "PASS: vers3"
    if len(plain) < (_SHORT_PASSWORD if short else _LEAST) or unfinished or _is_setting(plain, password=password):
        return False
    if is_phrase(plain) and value[-1] != ":" and (password or (strong and joint == "=")):  # no key of a mapping
        return True
    if not strong or ("\n" in joint and not _BLOCK.search(joint)):
        below = strong and alone and value[-1] != ":" and _is_word_with_digits(plain)
        random = looks_random(plain) and not _OTHER_NAME.fullmatch(name)
        return below or random or (joint == "=" and _is_variable(name, plain, capitals=capitals))
    if _NUMBER.fullmatch(plain):
        return _is_number(whole, plain, joint, password=password)
    if _IDENTIFIER.fullmatch(plain):
        word = plain.casefold() in _WORDS or plain.casefold() in {name, whole} or "_" in plain or "." in plain
        return digit or (password and not word and "==" not in joint and (quoted or alone or joint in {"=", ":"}))
    path = _is_path(plain) and not _NO_PATH.match(f"/{plain}")
    described = _PHRASE.fullmatch(plain) and not is_phrase(plain)
    words = "==" in joint or (not password and (described or plain.count(" ") > 1))
    return not path and (digit or (quoted and not words))


def _is_setting(plain: str, *, password: bool) -> bool:
    """Return whether a value is a version, or a colour, which may stand beside `minipass` and `Token`."""
    return bool(_VERSION.fullmatch(plain) or (not password and _COLOUR.fullmatch(plain)))


def _is_number(whole: str, plain: str, joint: str, *, password: bool) -> bool:
    """Return whether a number is a secret: after a name such as password, or of many digits after one such as token."""
    if password:
        return "." not in plain and len(plain) >= _LEAST
    least = _LEAST if joint == "=" else _TOKEN
    return plain.isdecimal() and len(plain) >= least and bool(_NUMBERED.fullmatch(whole))


def is_typed_secret(joint: str, value: str, *, beside: bool) -> bool:
    """Return whether a value is a secret that follows an option of a command, or words such as "the password is".

    `beside` says that nothing but its place joins it to a name: only what looks random is a secret then.
    """
    plain, quoted = _bare(value), value[:1] in "\"'`"
    if len(plain) < _SHORTEST or _is_code(plain) or plain.startswith("-") or _is_path(plain):
        return False
    if beside:
        plain = _TECHNIQUE.sub("", plain)
        return not _JOINS.match(plain) and (looks_random(plain) or bool(_UUID.fullmatch(plain)))
    if _PORTS.fullmatch(plain):
        return False
    digit = any(map(str.isdigit, plain))
    if _SET.fullmatch(joint):
        return digit or quoted
    if joint.rstrip(": ").casefold().endswith(_SAID):
        words = plain.replace("-", "").replace("_", "").isalpha() or _NUMBER.fullmatch(plain)
        phrase = bool(_PASSWORD.search(joint.casefold())) and is_phrase(plain)
        return looks_random(plain) or phrase or (len(plain) >= _LEAST and (quoted or not words))
    option = joint.rstrip().rpartition(" ")[2]
    return quoted or digit or option.endswith(("pass", "%")) or not (option.startswith("-") and len(option) > _OPTION)


def _is_variable(name: str, plain: str, *, capitals: bool) -> bool:
    """Return whether a value with letters and digits is a secret that a variable such as auth or SSH_KEY has."""
    least = _VARIABLE if capitals and name == "key" else _TOKEN if _WEAK.fullmatch(name) else 0
    return bool(least) and len(plain) >= least and _is_word_with_digits(plain)


def _is_word_with_digits(plain: str) -> bool:
    """Return whether a value has letters and digits, and is no path, number, UUID, or name in code."""
    letters, digits = any(map(str.isalpha, plain)), any(map(str.isdigit, plain))
    other = _NUMBER.fullmatch(plain) or _UUID.fullmatch(plain) or _is_path(plain) or set("_.()=/") & set(plain)
    return letters and digits and not other


def is_phrase(text: str) -> bool:
    """Return whether a text is words joined by hyphens, as in a password, and does not describe one."""
    return bool(_PHRASE.fullmatch(text)) and not _DESCRIBES.search(text)


def looks_random(text: str) -> bool:
    """Return whether letters and digits alternate in a part of a text, as in keys and in no word, number or path."""
    if len(text) < _TOKEN or _CODE.match(text) or _UUID.fullmatch(text) or _is_path(text) or text[:2] in {"0x", "0X"}:
        return False
    return any(len(part) >= _LEAST and _MIXED.search(part) for part in _PARTS.split(text))


def is_login(name: str) -> bool:
    """Return whether the part of an address before its `@` is a person's or a program's name, not a token."""
    return bool(_LOGIN.fullmatch(name))


def is_random(text: str, start: int, end: int) -> bool:
    """Return whether a long run of letters and digits is random: no commit id, digest, path or name."""
    run = text[start:end].strip("=/")
    fingerprint = text.endswith(("SHA256:", "+sha512."), 0, start) or _DIGEST_LEAD.match(run)
    if fingerprint or _in_path(text, start, end) or not randomness.is_random(run):
        return False
    return not (_HEX.fullmatch(run) and _DIGEST.search(text[max(0, start - 24) : start]))


def _bare(value: str) -> str:
    """Return a value without the quotes around it and the punctuation after it."""
    return value.rstrip(")]}>.:!?*\"'`").lstrip("*\"'`")


def _is_code(plain: str) -> bool:
    """Return whether a value is code, such as a call, a list or a variable."""
    if any(sign in plain for sign in ("===", "=>", "&&", "${", "{}")):
        return True
    return bool(_MEMBER.fullmatch(plain) or (_CODE.match(plain) and not _NO_CODE.match(plain)))


def _is_path(text: str) -> bool:
    """Return whether a text is a path or an address."""
    if _NO_PATH.match(text):
        return False
    is_place = text.startswith(("/", "#/", "./", "../", "~/", "arn:")) or "://" in text
    return is_place or bool(_FILE.search(text) or _FOLDERS.fullmatch(text))


def _in_path(text: str, start: int, end: int) -> bool:
    """Return whether a run is part of a path or of a name with an extension."""
    before = text[max(0, start - _NEAR) : start]
    lead = "" if not before or before[-1].isspace() else _OPENING.split(before.split()[-1])[-1]
    after = _AFTER.match(text[end : end + 60])
    trail = after[0] if after else ""
    run = text[start:end]
    if not lead and run.startswith("/"):  # of base64 too; a path begins with the name of a folder
        return bool(_FOLDER.match(run) or _ENDING.match(trail))
    return "/" in lead or _is_path(lead + run + trail) or bool(_ENDING.match(trail))
