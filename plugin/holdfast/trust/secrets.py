"""The patterns of `safe`: what looks like a secret, and characters that must not reach a terminal or a reader."""

import re

from holdfast.trust import secret_names, values

# Secrets that are lists: numbers of cards, codes to recover an account, and the words that open a wallet.
_CARD = re.compile(
    r"(?<![A-Za-z0-9.])(?<!\d\d\d[0-9A-F][ -])"  # no row of numbers of four digits
    r"(?:\d{14,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{3,4}(?:\1\d{3})?|3\d{3}([ -])\d{6}\2\d{4,5})(?![A-Za-z0-9]|\.\d)"
)
# How the numbers of a network of cards begin, and how many digits they have.
_NETWORKS = re.compile(
    r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
_LABEL = re.compile(
    r"\b(?:(?:recovery|back-?up|scratch|rescue|emergency|one[ -]time|2fa|mfa|otp|verification)[ _-]?codes?"
    r"|(?:sicherungs|wiederherstellungs|einmal|notfall)-?codes?)\b"
    r"(?:(?:[ ]\w{1,20}){0,4}?[ ]?(?:[:=]|->|[ ](?:is|are|ist|sind|lautet|lauten)\b:?))?",
    re.IGNORECASE,
)
_BETWEEN = r"(?:[\s,;|*•`\"'()\[\]#>-]|\d{1,2}[.):][ ]){0,12}"
_FIRST_CODE = re.compile(
    _BETWEEN + r"(?<![A-Za-z0-9])(?P<code>(?=[A-Za-z-]*\d)[A-Za-z0-9]{3,10}(?:-[A-Za-z0-9]{3,10}){1,7}"
    r"|[A-Z]{4,8}(?:-[A-Z]{4,8}){1,7}|\d{4}[ ]\d{4}|(?=[a-z]*\d|[A-Z]*\d)[A-Za-z0-9]{6,24})(?![\w/.-]*[\w/])"
)
_NEXT_CODE = re.compile(
    _BETWEEN + r"(?<![A-Za-z0-9])(?P<code>[A-Za-z0-9]{3,10}(?:-[A-Za-z0-9]{3,10}){1,7}|\d{4}[ ]\d{4}"
    r"|(?=[A-Za-z]*\d)[A-Za-z0-9]{6,24})(?![\w/.-]*[\w/])"
)
_SEED_WORD = re.compile(r"[A-Za-z]+")
_GAP = re.compile(r"[\s,;_.\-|\"'`*)\d]{1,12}")
_LEAST_WORDS, _LEAST_DIFFERENT = 12, 9  # of a phrase; a word that is repeated opens no wallet
_PHRASE = re.compile(
    r"(\b(?:(?:seed|recovery|secret|backup|mnemonic|wallet)[ _-]?(?:phrase|words?)|mnemonic|seed)\b"
    r"[ ]?(?:[:=]|[ ]?(?:is|are|ist|lautet)\b:?)\s{0,4}[\"'`]?)((?:[a-z]{3,12}[\s,]{1,3}){11,}[a-z]{3,12})\b",
    re.IGNORECASE,
)


def without_lists(text: str, mask: str) -> str:
    """Return a text with the numbers of cards, the codes and the phrases in it replaced by `mask`."""
    text = _CARD.sub(lambda match: mask if _is_card(match[0]) else match[0], text)
    text = _PHRASE.sub(lambda match: match[1] + mask, _without_codes(text, mask))
    return _without_phrases(text, mask)


def _is_card(written: str) -> bool:
    """Whether digits have the form of a card's number, and its check digit."""
    digits = written.replace(" ", "").replace("-", "")
    if not _NETWORKS.fullmatch(digits):
        return False
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    return (sum(map(int, digits[::-2])) + sum(map(int, "".join(map(str, doubled))))) % 10 == 0


def _without_phrases(text: str, mask: str) -> str:
    """Return a text without rows of at least twelve words that are all words of such phrases."""
    pieces: list[str] = []
    row: list[re.Match[str]] = []
    done = 0
    for word in _SEED_WORD.finditer(text):
        joined = row and _GAP.fullmatch(text, row[-1].end(), word.start())
        if row and not (joined and secret_names.is_seed_word(word[0])):
            pieces, done = _closed(text, mask, row, pieces, done)
            row = []
        if secret_names.is_seed_word(word[0]):
            row.append(word)
    pieces, done = _closed(text, mask, row, pieces, done)
    return "".join([*pieces, text[done:]])


def _closed(text: str, mask: str, row: "list[re.Match[str]]", pieces: list[str], done: int) -> tuple[list[str], int]:
    """Return the pieces of a text, and up to where they reach, after a row of words has ended."""
    if len(row) < _LEAST_WORDS or len({word[0].lower() for word in row}) < _LEAST_DIFFERENT:
        return pieces, done
    return [*pieces, text[done : row[0].start()], mask], row[-1].end()


def _without_codes(text: str, mask: str) -> str:
    """Return a text without the codes that follow words such as "recovery codes:"."""
    pieces: list[str] = []
    done = 0
    for label in _LABEL.finditer(text):
        code = _FIRST_CODE.match(text, max(done, label.end()))
        while code:
            pieces += [text[done : code.start("code")], mask]
            done = code.end()
            code = _NEXT_CODE.match(text, done)
    return "".join([*pieces, text[done:]])


_NESTED = 3  # values in values, as in the address of an address
_BEFORE_MASK = 6  # a value that is a mask and fewer characters was masked before


def _any(prefixes: "list[str] | tuple[str, ...]") -> str:
    """Return a pattern that matches any of the prefixes."""
    return "(?:" + "|".join(re.escape(prefix) for prefix in prefixes) + ")"


_BY_RULES = "|".join(
    rf"{_any(prefixes)}[A-Za-z0-9_.~+/=-]{{{count},}}"
    for count, prefixes in sorted(secret_names.prefixes_by_count().items())
)
# Forms of keys that their issuers document. A repeat that may fail after a long run is bounded or possessive: the text
# may be hostile, and the time must grow only linearly.
_SECRETS = re.compile(
    rf"""
    -{{4,5}}[ ]?BEGIN[ ][A-Za-z0-9 ]{{0,60}}+(?<=KEY|OCK)[ ]?-{{4,5}}.*?
      (?:-{{4,5}}[ ]?END[ ][A-Za-z0-9 ]{{0,60}}+-{{4,5}}|\Z)
    | \bPuTTY-User-Key-File-[0-9]:.*?(?:\bPrivate-MAC:[ ]?[0-9a-f]*|\Z)
    | \b[spr]k[-_](?=[A-Za-z_-]{{0,64}}+[0-9])(?=[A-Za-z0-9_-]{{0,64}}?[A-Za-z0-9]{{16}})[A-Za-z0-9_-]{{16,}}
    | \b(?:{_BY_RULES})
    | \b{_any(secret_names.DISTINCT)}[A-Za-z0-9_.$~-]{{12,}}=*
    | \b{_any(secret_names.WORDLIKE)}(?:[A-Za-z0-9]{{28,}}|(?<=AIza)[A-Za-z0-9_-]{{30,}}|(?<=EAAA)[A-Za-z0-9_-]{{50,}})
    | \b{_any(secret_names.CAPITALS)}[A-Z0-9]{{16}}\b
    | \beyJ[A-Za-z0-9_-]{{16,}}(?:\.[A-Za-z0-9_-]*)*
    | \b(?:AC|SK)[0-9a-f]{{32}}\b  # Twilio
    | \b[0-9a-f]{{32}}-us[0-9]{{1,2}}\b  # Mailchimp
    | \b[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{33}}  # Telegram
    | \bpat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}\b  # Airtable
    | \b[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_-]{{50,}}  # Terraform
    | \b[A-Za-z0-9_~.]{{3}}[0-9]Q~[A-Za-z0-9_~.-]{{31,34}}  # Azure
    | (?<=\bAccountKey=)[A-Za-z0-9+/]{{80,}}=*
    | \bA{{20,}}[A-Za-z0-9%]{{50,}}  # Twitter
    | \bAAAA[A-Za-z0-9_-]{{7}}:[A-Za-z0-9_-]{{60,}}  # Firebase
    | \b[MNO][A-Za-z0-9_-]{{23,25}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}  # Discord
    | \b0\.[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\.[A-Za-z0-9]{{20,}}:[A-Za-z0-9+/]{{16,}}=*  # Bitwarden
    # Brave: with a digit, or with capitals and small letters in turn
    | \bBSA(?=[A-Za-z_-]{{0,27}}+[0-9]|(?:[A-Z_-]{{0,9}}[a-z]{{1,9}}[A-Z]){{4}})[A-Za-z0-9_-]{{28}}(?![A-Za-z0-9])
    | (?<![A-Za-z0-9$])\$(?:2[abxy]|apr1|argon2id?|y|[156])\$[A-Za-z0-9./$=,+]{{20,}}  # hashes of passwords
    | (?<=\bhooks\.slack\.com/services/)[A-Za-z0-9/_-]{{20,}}
    | (?<=\bdiscord\.com/api/webhooks/)[A-Za-z0-9/_-]{{20,}}
    | (?<=\bdiscordapp\.com/api/webhooks/)[A-Za-z0-9/_-]{{20,}}
    | (?<=\bhooks\.zapier\.com/hooks/catch/)[0-9]{{4,}}/[A-Za-z0-9/_-]{{5,}}
    | (?<=\bwebhook\.office\.com/webhookb2/)[A-Za-z0-9/@_-]{{20,}}
    | (?<=\b(?i:bearer)[ ])(?=[A-Za-z._~+/-]{{0,64}}+[0-9])[A-Za-z0-9._~+/-]{{16,}}=*
    """,
    re.VERBOSE | re.DOTALL,
)
# A name, what joins it to a value, and the value, quoted or up to a blank; `values` decides whether it is a secret.
# In a string in a string, backslashes stand before the quotes: as many at the end as at the beginning.
_VALUE = r"""
    (?P<value> (?P<slashes>\\{1,7}+)(?P<mark>["'])
        (?=(?P<inner>(?:(?!(?P=mark))[^\\\n]|(?!(?P=slashes)(?P=mark))\\++[^\n]){4,}))(?P=inner)(?:(?P=slashes)(?P=mark))?
      | "(?=(?P<double>(?:[^"\\\n]|\\.){4,}))(?P=double)"?[^\s"',;]*+
      | '(?=(?P<single>(?:[^'\\\n]|\\.){4,}))(?P=single)'?[^\s"',;]*+ | ["'`]?[^\s"'`,;]{4,}+ )
"""
_WORDS = "|".join(map(re.escape, secret_names.PASSWORD_WORDS)).replace("\\ ", "[ ]")
_IS = "|".join(secret_names.IS)
_ADVERBS = "|".join(secret_names.ADVERBS).replace(" ", "[ ]")
# What is between a name and a value that is joined to it by its place only: an argument, a column, another choice.
_BESIDE = r"""[\\"'`)\]}*]{0,4}+(?:
        [ \t]{0,8}+(?:->|[|](?![|])|=?<<-?["']?EOF["']?\n)[ \t]{0,8}+
        | [ \t]{0,8}+(?:,|[|]{2}|[?]{2}|\()[ \t]{0,8}+(?=["'`]) | [ \t]{1,8}+\(? )"""
_COMMANDS = "\n      | ".join(
    rf"(?<![\w-])(?:{'|'.join(names).replace(' ', '[ ]')})(?![\w-]){options}"
    for names, options in secret_names.COMMANDS
)
_ITEM = r"""(?: \\{0,7}+(?:"[^"\n]{0,200}"|'[^'\n]{0,200}') )"""
_DIGIT = re.compile(r"[0-9]")  # a list of words is no list of secrets
_ITEMS = re.compile(_ITEM, re.VERBOSE)
_NAMED = re.compile(
    rf"""
    (?P<name> (?:pass|pwd|secret|token|key|auth|cookie|sig|credential) [a-z0-9_-]{{0,32}}+
      | (?<![^\W_])(?:{_WORDS})[0-9]?(?![^\W_]) )
    (?P<joint> (?P<tag> >[ \t\r\n]{{0,40}}+ ) (?=[^<>\n]{{4,300}}+[ \t\r\n]{{0,40}}+</[\w.:-]{{0,40}}?(?P=name)>)
      | [ \t]{{1,4}}+[*&]?(?:string|str)[ \t]{{0,4}}+=[ \t]{{0,8}}+(?=["'`])  # a type in Go
      | ["'][ \t]{{0,4}}+\{{[^{{}}"']{{0,200}}?\bdefault[ \t]{{0,8}}+=[ \t]{{0,8}}+(?=["'])  # a variable in Terraform
      | [?!]?[ \t]{{0,4}}+:[ \t]{{0,4}}+[\w.<>|\[\]&? ]{{2,40}}+=[ \t]{{0,8}}+(?=["'`\\])  # a type
      | [\\"'`\]*]{{0,9}}+ [ \t]{{0,8}}+ (?: =>|={{1,2}}|[?|.+:~]{{1,3}}+=|[:\uff1a] ) [*_]{{0,2}}+
      (?:[ \t]{{0,8}}+(?:[|>][-+0-9]{{0,2}}+[ \t]{{0,8}}+)?(?:\r?\n[ \t]{{0,40}}+){{1,3}}(?:[-|>][ \t]++)?
      |[ \t]{{0,40}}+)
      (?:(?:basic|bearer|token|apikey)[ \t]++|(?!(?:basic|bearer|token|apikey)[ \t])) )
    (?: (?P<tagged> (?(tag)[^<>\n]{{4,300}}+|(?!)) )
      | (?P<list> \[[ \t]{{0,8}}+ (?=(?P<items>(?:{_ITEM}[ \t\r\n,]{{0,40}}+){{1,64}}))(?P=items) \]? )
      | {_VALUE} )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TYPED = re.compile(
    rf"""
    (?P<joint> {_COMMANDS}
      | \bcurl\b[^\n|;]{{0,200}}?[ ](?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{{1,64}}+:
      | \b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{{0,200}}?[ ]-p(?=[^\s-])
      | \bsshpass[ ]+-p[ ]?
      | \b(?:un)?zip\b[^\n|;]{{0,200}}?[ ](?-i:-P)[ ]+
      | \b7z[ar]?\b[^\n|;]{{0,200}}?[ ]-p(?=[^\s-])
      | \b(?:docker|podman|helm|az|redis-cli|mongo(?:sh)?|wget|ldapsearch|smbclient)\b[^\n|;]{{0,200}}?[ ]-[paw][ ]+
      | \b(?:machine|login|default)[ \t]+(?!(?:and|or)\b)[^\s]{{1,120}}+[ \t\r\n]{{1,20}}+
        (?:login[ \t]+[^\s]{{1,120}}+[ \t\r\n]{{1,20}}+)?password[ \t]+
      | (?-i:\bIDENTIFIED[ ]+BY[ ]+)(?=['"])
      | (?<!\S)--?[a-z-]{{0,30}}?(?:password|passwd|passphrase|secret|token|api-?key|access-?key)[ ]+
      | \b(?:password|passwd|passphrase|pwd|secret|token|credential|(?:api|access|secret|private)?[ _-]?key|{_WORDS})
        (?:[ ](?:for|of|to|für|de|da|van)[ ][^\n.]{{1,40}}?)?[ ](?:{_IS})(?:[ ](?:{_ADVERBS}))?:?[ ]+
      | \bvault[ ]login[ ]+
      | \b(?:env|setx|config(?:ure)?[ ]set)[ ]+[^\s=]{{0,64}}?
        (?:pass|pwd|secret|token|key|auth|credential)[\w-]{{0,32}}+[ \t]+
      | (?P<beside> \bpass[ ](?:is|was)(?:[ ]now)?:?[ ]+
        | (?:password|passwd|passphrase|pwd|secret|token|credential|(?:api|access|secret|private)[ _-]?key) {_BESIDE}
        | \b(?:{_WORDS})[ \t]{{1,8}}+(?:->[ \t]{{0,8}}+)? )
    )
    {_VALUE}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LEAD = re.compile(r"[A-Za-z]+[-_]?\Z")  # the word before `key`, such as in API_KEY
_KIND = re.compile(r"\b(?:api|access|secret|private|encryption|signing|account)[ ]\Z", re.IGNORECASE)  # the same apart
_LONGEST_LEAD = 24
_CLOSING = re.compile(r"[\"'](?:, |\)|\]|\}|;$| \+)")
_RESOURCE = re.compile(r"\barn:[^\s\"']{0,200}\Z")
_ESCAPED_QUOTE = re.compile(r"\\+([\"'])")
_BULLET = re.compile(r"[ \t]*(?:[-*+][ \t]|export[ \t])?[ \t]*[\"'`*]{0,3}[\w.-]{0,24}")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_LONGEST_BULLET = 40
_NEAR = 200  # characters of an ARN before a name in it
_COOKIES = re.compile(
    r"(\b(?:set-)?cookie\\{0,7}[\"']?[ ]?:[ ]?\\{0,7}[\"']?)([\w.-]{1,64}+=(?![{$<])[^\s;\"']{8,}+[^\n\"']*+)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"(\b[a-z][a-z0-9+.-]{0,30}+://)(?:(?P<name>[^\s/:]*+):[^\s/]+(?=@)|(?P<alone>[^\s/:@]{1,300}+)(?=@))",
    re.IGNORECASE,
)
_WITHOUT_SCHEME = re.compile(r"((?<![\w:.])//[^\s/:@]{1,64}+:)[^\s/]+(?=@[\w.-])")
# In names of files the slashes, and even the colons, are other characters.
_FILED = re.compile(
    rf"((?<![a-z0-9])(?:{'|'.join(map(re.escape, secret_names.SCHEMES))})(?::[/_\\-]{{1,3}}|_{{2,3}}|-{{2,3}}))"
    r"(?P<user>[^\s/:@_]{0,64}?[:_])?[^\s/@]{1,200}+(?=@[\w.-])",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"((?<![\w:/.@-])[\w.-]{1,64}+:)(?P<password>[^\s/:@]{8,200}+)(?=@[\w-]+(?:[.:/]|$))")
_RANDOM = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,}+={0,2}(?![A-Za-z0-9])")
_WORD = re.compile(r"(?<!\S)[^\s\\%&]*+[\\%&]\S*+")  # a word that may have a character in another form

# Whole terminal escapes; then control characters but tab and newline, zero-width, bidirectional and tag characters.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|.)", re.DOTALL
)
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def masked(text: str, mask: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `mask`.

    A word that has one once its characters are decoded is replaced by the decoded one. A question stays one.
    """

    def word(match: re.Match[str]) -> str:
        decoded = secret_names.decoded(match[0])
        masked_text = decoded if decoded == match[0] else _masked(decoded, mask)
        return match[0] if masked_text == decoded else masked_text

    asks, text = text.rstrip().endswith("?"), _masked(text, mask)
    masked_text = _WORD.sub(word, text) if secret_names.decoded(text) != text else text
    text = text if masked_text == text else _masked(masked_text, mask)  # a decoded word may join what is beside it
    return f"{text.rstrip()}?" if asks and text.rstrip().endswith(mask) else text


def _masked(text: str, mask: str) -> str:
    """Return `text` with what looks like a secret as it is written replaced by `mask`."""

    def typed(match: re.Match[str]) -> str:
        joint, value = match["joint"], match["value"]
        is_secret = values.is_typed_secret(joint, _unescaped(value), beside=match["beside"] is not None)
        return joint + mask if _is_new(value, mask, is_secret) else match[0]

    def sent(match: re.Match[str]) -> str:
        return match[0] if _is_masked(match[2], mask) else match[1] + mask

    def filed(match: re.Match[str]) -> str:
        if _is_masked(match[0][len(match[1] + (match["user"] or "")) :], mask):
            return match[0]
        return match[1] + (match["user"] or "") + mask if match["user"] else match[0]

    def login(match: re.Match[str]) -> str:
        return match[1] + mask if values.looks_random(match["password"]) else match[0]

    def random(match: re.Match[str]) -> str:
        return mask if values.is_random(text, *match.span()) else match[0]

    text = _SECRETS.sub(mask, text)
    text = _ADDRESS.sub(lambda match: _address(match, mask), text)
    text = _WITHOUT_SCHEME.sub(lambda match: match[1] + mask, text)
    text = _FILED.sub(filed, text)
    text = _LOGIN.sub(login, text)
    text = _COOKIES.sub(sent, text)
    text = _TYPED.sub(typed, text)
    text = without_lists(_named(text, mask, _NESTED), mask)
    return _RANDOM.sub(random, text)


def _named(text: str, mask: str, depth: int) -> str:
    """Return a text with the values masked that are joined to a name; a value that is no secret may contain others."""

    def one(match: re.Match[str]) -> str:
        name, joint, value = match["name"], match["joint"], match["value"] or match["tagged"] or match["list"]
        whole = _whole(text, match.start(), name)
        if _is_no_field(text, match.end("name") - len(whole), joint, value):
            return match[0]
        alone = _is_alone(text, match.end("name") - len(whole), match.end())
        items = filter(_DIGIT.search, _ITEMS.findall(value)) if match["list"] else [value]
        sign = ":" if match["tagged"] else joint  # it is joined as closely
        secret = any(values.is_named_secret(name, whole, sign, _unescaped(item), alone=alone) for item in items)
        if _is_new(value, mask, secret):
            return name + joint + (f"[{mask}]" if match["list"] else mask)
        return name + joint + (_named(value, mask, depth - 1) if depth else value)

    return _NAMED.sub(one, text)


def _is_no_field(text: str, start: int, joint: str, value: str) -> bool:
    """Whether a name is a type in quotes (`"AWS::KMS::Key": …`), in an ARN, or ends a text (`"Password: ", x`)."""
    is_type = text.endswith("::", 0, start) and joint[:1] in "\"'"
    return is_type or bool(_CLOSING.match(value) or _RESOURCE.search(text, max(0, start - _NEAR), start))


def _whole(text: str, start: int, name: str) -> str:
    """Return a name from `start` on with the word before it, as in API_KEY and "API key"."""
    lead = _LEAD.search(text, max(0, start - _LONGEST_LEAD), start)
    if not lead and name.casefold() == "key":
        lead = _KIND.search(text, max(0, start - _LONGEST_LEAD), start)
    return lead[0] + name if lead else name


def _unescaped(value: str) -> str:
    """Return a value without the backslashes before its quotes."""
    return _ESCAPED_QUOTE.sub(r"\1", value) if "\\" in value else value


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a line has nothing but a name and its value from `start` to `end`, a bullet, and a comment."""
    line = text.rfind("\n", max(0, start - _LONGEST_BULLET), start) + 1
    if not line and start > _LONGEST_BULLET:
        return False
    return bool(_BULLET.fullmatch(text, line, start) and _REST.match(text, end))


def _address(match: re.Match[str], mask: str) -> str:
    """Return the beginning of an address without what is secret: all after a colon, or a name that is a token."""
    alone = match["alone"]
    if alone is None:
        return f"{match[1]}{match['name']}:{mask}"
    return match[0] if values.is_login(alone) or _is_masked(alone, mask) else match[1] + mask


def _is_new(value: str, mask: str, is_secret: bool) -> bool:  # noqa: FBT001 - the answer of a function beside it
    """Whether a value is to be masked that was not; text right after a mask is masked too."""
    return not _is_masked(value, mask) and (is_secret or value.startswith(mask))


def _is_masked(value: str, mask: str) -> bool:
    """Whether a value was masked before; up to five characters after the mask are no secret and stay."""
    return value.startswith(mask) and len(value) < len(mask) + _BEFORE_MASK


def printable(text: str) -> str:
    """Return `text` without control characters and terminal escapes."""
    return _CONTROL.sub("", _ESCAPE.sub("", text))
