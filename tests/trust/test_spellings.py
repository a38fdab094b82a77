"""Secrets are masked however a text spells them: escaped, in lists, in tags; code that resembles them stays."""

from __future__ import annotations

import pytest

from holdfast.trust import safe, secrets

VALUE = "Tr0ub4dor99"
ESCAPED = [
    r"{\"password\": \"%s\"}",
    r"{\\\"password\\\": \\\"%s\\\"}",
    r"{\'password\': \'%s\'}",
    r'curl -d "{\"user\": \"me\", \"password\": \"%s\"}" https://host.example',
    r"{\"password\":\"%s\",\"x\":1}",
    r"{\"api_key\": \"a b %s\"}",
    r"{\"password\": \"a\\\"b %s\"}",
    r"{\"token\": \"%s",
    r"{\"Cookie\": \"sid=%s; a=b\"}",
    'the password is \\"%s\\" now',
]
ENCODED = [
    r"ghp\_a1B2c3D4a1B2c3D4a1B2c3D4Tr0ub4dor99",
    r"github\_pat\_11ABCDEFG0\_a1B2c3D4a1B2c3D4a1B2Tr0ub4dor99",
    r"sk\-ant\-api03\-a1B2c3D4a1B2c3D4Tr0ub4dor99",
    r"API\_KEY=Tr0ub4dor99",
    "password%3DTr0ub4dor99",
    "see https://host.example/a%20b?next=x%3Fpassword%3dTr0ub4dor99%26y%3D1",
    "%7B%22key%22:1,%22password%22%3A%20%22Tr0ub4dor99%22%7D",
    "pass%3ATr0ub4dor99",
    "password&#61;Tr0ub4dor99 and more",
    "password&#x3D;Tr0ub4dor99",
    "password&equals;Tr0ub4dor99",
    "{&quot;password&quot;:&quot;Tr0ub4dor99&quot;}",
]
WRITTEN = [
    "API KEY: ab12c9",
    "api key = ab12c9",
    "- **API key**: `ab12c9`",
    "Secret Key=ab12c9",
    'let password: string = "ab12c9"',
    'password?: string = "ab12c9"',
    "let apiKey: &str = 'ab12c9';",
    'token: Optional[str] = "ab12c9"',
    "password='$ab12c9'",
    "password=$ab12c9",
    'password: "$ab12c9"',
    "password=(ab12c9)",
    "password=/ab12c9",
    "secret=/ab12c9/d34e5+f6",
    'token: ["ab12c9"]',
    'tokens=["abcd12c9"]',
    "password: [ 'ab12c9', 'x' ]",
    'passwords: ["", "ab12c9"]',
    r"{\"password\": [\"ab12c9\"]}",
    "edit notes/my_api_token=Fb12c9Kq2vB/x.py",
    "<password>ab12c9</password>",
    "<dbPassword>x ab12c9</dbPassword>",
    "<password>correcthorse</password>",
]
CODE = [
    "password=$PASSWORD, password=${DB_PASS}, token=$(cat token1)",
    "password=$password2 token=$oauth2Token secret=$md5sum",
    "password='$PASSWORD' awk '{print $12}'",
    "password=/run/secrets/db1 secret=/oauth2callback token=/etc/k8s/token1",
    "token=src/v1b2/x.py secret=oauth2client/store.json",
    "token=(user1) password=(first, second) auth=(a1, b2)",
    '_pass_through = ["Condition", "Deletion"], password: ["string"]',
    'tokens = ["alpha", "beta"], keys: ["key1", "key2"], "author": ["ada1"]',
    "password: string = undefined; token: str = None; key: int = 12345678",
    "<b>Password</b> <th>token</th> <token>word</token> <key>CFBundleVersion2</key>",
    "Promise<Token>next1()",
    "API key: required. The API KEY: see below.",
    r"regex: token = \d+[a-z]\w+2; password: \"\"",
    r"C:\password\file1 and \"key\": \"value\"",
    'password: str = "string"',
    r"my\_module\_name\-2, 100%3D, https://host.example/a%20b?q=token%3Dword&amp;x&#61;1 a\_b",
]


@pytest.mark.parametrize("line", ESCAPED)
def test_a_secret_in_a_string_in_a_string_is_masked(line: str) -> None:
    """Quotes may have backslashes before them, as in JSON that is a string of a command, of JSON or of a log."""
    for around in ("%s", "x\n%s\ny", "`%s`"):
        text = around % (line % VALUE)
        assert VALUE not in safe.mask(text)
        assert safe.mask(text) == secrets.masked(text, safe.MASK) == safe.mask(safe.mask(text))


@pytest.mark.parametrize("line", ENCODED)
def test_a_secret_that_is_encoded_is_masked(line: str) -> None:
    """Characters may be written as in Markdown, in an address or in HTML; the words beside it stay as they are."""
    text = f"a\\_b and {line} for c%20d"
    masked = safe.mask(text)
    assert VALUE not in masked
    assert masked == secrets.masked(text, safe.MASK) == safe.mask(masked)
    assert masked.startswith("a\\_b and ")
    assert masked.endswith(" for c%20d")


@pytest.mark.parametrize("line", WRITTEN)
def test_a_named_value_is_masked_as_it_is_written(line: str) -> None:
    """A name of two words, a type, a list, a tag, or a sign before the value make no difference."""
    masked = safe.mask(line)
    assert safe.MASK in masked
    assert "12c9" not in masked
    assert "horse" not in masked
    assert masked == secrets.masked(line, safe.MASK) == safe.mask(masked)


@pytest.mark.parametrize("line", CODE)
def test_code_that_resembles_it_stays(line: str) -> None:
    """Variables, paths, lists of words, types, and tags with words are no secrets."""
    assert safe.mask(line) == line


def test_each_secret_of_a_list_is_masked() -> None:
    """All values of a list are masked if one of them is a secret, and what follows the list stays."""
    assert safe.mask('password: ["ab12c9", "de34f5"], user: me') == f"password: [{safe.MASK}], user: me"
    assert safe.mask("<password>ab12c9</password><b>x</b>") == f"<password>{safe.MASK}</password><b>x</b>"
