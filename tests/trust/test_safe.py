"""Untrusted text: secrets are masked, ordinary words are not, and control characters are removed."""

from __future__ import annotations

import string
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.trust import safe as text
from holdfast.trust import secrets, values

A40 = "a1B2c3D4" * 5
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXkt\n-----END OPENSSH PRIVATE KEY-----"
# Invented keys in the documented shapes, in parts so that no scanner takes them for real ones.
SECRETS = {
    "Anthropic": "sk-" + "ant-api03-" + A40,
    "OpenAI": "sk-" + A40,
    "OpenAI project": "sk-" + "proj-" + "abcdefghijklmnopqrstuvwxyz0_" + A40,
    "Stripe": "sk_" + "live_" + A40[:24],
    "Stripe restricted": "rk_" + "test_" + A40[:24],
    "GitHub": "ghp_" + A40[:36],
    "GitHub app": "ghs_" + A40[:36],
    "GitHub fine-grained": "github_" + "pat_11ABCDEFG0_" + A40,
    "GitLab": "glpat-" + A40[:20],
    "Slack": "xoxb-" + "1234567890-" + A40[:24],
    "npm": "npm_" + A40[:36],
    "PyPI": "pypi-" + "AgEIcHlwaS5vcmc" + A40,
    "Hugging Face": "hf_" + string.ascii_letters[:34],
    "DigitalOcean": "dop_v1_" + "0123456789abcdef" * 4,
    "Shopify": "shpat_" + "0123456789abcdef" * 2,
    "SendGrid": "SG." + A40[:22] + "." + A40,
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "Google": "AIza" + A40[:35],
    "JWT": JWT,
    "private key": KEY,
    "private key, cut off": KEY[:60],
}
VALUE = "hunter2hunter2"
WORDS = "tidy-garden-hunter22"
NAMED = {
    "shell": f"export DB_PASSWORD={VALUE}",
    "suffixed": f"SECRET_KEY_BASE={VALUE}",
    "YAML": f"password: {VALUE}",
    "YAML in quotes": f"password: '{VALUE}'",
    "JSON": f'{{"api_key": "{VALUE}"}}',
    "JSON, no blank": f'{{"client-secret":"{VALUE}"}}',
    "camel case": f'"accessToken": "{VALUE}"',
    "with blanks": f'passphrase = "{VALUE} and {VALUE}"',
    "an escaped quote": f'"password": "{VALUE}\\"{VALUE}"',
    "a quote not closed": f'password="{VALUE}',
    "arrow": f"token => {VALUE}",
    "walrus": f"token := {VALUE}",
    "upper case": f"APIKEY={VALUE}",
    "credentials": f"credentials: {VALUE}",
    "header": f"Authorization: Bearer {VALUE}",
    "header, basic": f"curl -H 'authorization: Basic {VALUE}' x",
    "bearer alone": f"Bearer {VALUE}{VALUE}",
    "address": f"postgres://me:{VALUE}@host/db",
    "address without a name": f"redis://:{VALUE}@host",
    "address, mail as a name": f"https://me@mail.example:{VALUE}@host",
    "address, @ in it": f"amqp://me:p@{VALUE}@host",
    "escapes between": f"pass\x1b[0mword={VALUE}",
    "zero width between": f"pass\u200bword={VALUE}",
    "words after an API key": f"export API_KEY={WORDS}",
    "words after a private key": f"private-key: {WORDS}",
    "words after a signing key": f'"jwtSigningKey": "{WORDS}"',
    "an option first": f"--password {VALUE}",
    "an option on a new line": f"tool \\\n  --api-token {VALUE}",
    "SQL": f"CREATE USER me IDENTIFIED BY '{VALUE}'",
}
ORDINARY = [
    pytest.param("fixed in 6d7dd27c0ffee6d7dd27c0ffee6d7dd27c0ffee0", id="a commit"),
    pytest.param("session 5e1e4a0c-7b1f-4f62-9a55-0d3a1b2c3d4e", id="a UUID"),
    pytest.param("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", id="a digest"),
    pytest.param("src/auth/token_store.py:12 and tests/test_secret_api_key.py", id="file paths"),
    pytest.param(
        "one of prompt, answer, decision, question, title, task, plan, report, summary, update, choice, commit, file",
        id="a list of plain words",
    ),
    pytest.param("token budget: 1850 / 5000 tokens", id="a budget"),
    pytest.param("max_tokens: 200000, input tokens = 123456", id="counts of tokens"),
    pytest.param("the password is asked for again, the secret stays, and a token expires", id="prose"),
    pytest.param("Forgot password? Then reset the API key or the access key.", id="more prose"),
    pytest.param("the basic structure of bearer authentication", id="basic and bearer"),
    pytest.param("Notes on the token:\nRotating it happens weekly", id="a line that ends in the word"),
    pytest.param("hf_hub_download, npm_config_registry, pypi-publish-workflow", id="names like prefixes"),
    pytest.param("pk_user_organisation_membership and sk_buff_clone_for_receive", id="identifiers like keys"),
    pytest.param("task-1234567890abcdefgh, risk-based-assessment-of-things", id="words that end in sk"),
    pytest.param("https://host.example:8080/a/b?c=d#e and git@host.example:a/b.git", id="addresses"),
    pytest.param("mailto:someone@example.org", id="a mail address"),
    pytest.param("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", id="a certificate"),
    pytest.param("x = [1, 2]; y: int = 3; z := f(x)", id="code"),
    pytest.param("cache key: user-list-page-2, sort_key=created-at-1", id="keys of other kinds"),
    pytest.param("an item is identified by 'its name', the --token option and --keys 12", id="options in prose"),
]
OTHERS = [start + A40 for start in ("pk-1", "rk-1", "sk-1", "pk_1", "gho_", "ghu_", "ghr_", "xoxs-", "shpss_")]
OTHERS += [start + "IOSFODNN7EXAMPLE" for start in ("ASIA", "AGPA", "AROA")]
OTHERS += [
    f"{name}={VALUE}"
    for name in ("passwd", "Api-Key", "api_key", "ACCESS_KEY", "access-key", "accesskey", "Credential")
]
HOSTILE = ["a_", "1", "sk-", "sk-a", "token", "token_", "token_a", "token ", "://:", "a+", "a://:", "a://b:c@", "eyJ-"]
HOSTILE += ["eyJaaaaaaaa-", "bearer ", "basic ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "\x1b[0", "\x1b]", "SG."]
HOSTILE += [
    "env ",
    "env key",
    "vault login ",
    "//a:",
    "//a",
    "password ",
    "pass is ",
    "token:\n",
    "token:|\n ",
    "env " + "a" * 60,
]
HOSTILE += [
    "token:['",
    'token:["',
    'token:["a",',
    "<token>",
    "<token>a</",
    "token: a=",
    'token:\\\\"',
    '\\\\"',
    "token?",
    "token%3D",
    "ghp\\_",
    "&#61;",
    "key $",
    "a1",
]
HOSTILE += ["token:'", 'token:"\\', "authorization:", "ghp_", "api_key", " ", "@", "-"]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_masks_what_issuers_document(secret: str) -> None:
    """A key in a documented shape is masked completely in any context."""
    for around in ("{}", "before {} after", "`{}`", "key=({})", "a\n{}\nb"):
        masked = text.mask(around.format(secret))
        assert text.MASK in masked, around
        assert secret[-12:] not in masked, around
        assert secret[8:20] not in masked, around


@pytest.mark.parametrize("line", NAMED.values(), ids=NAMED.keys())
def test_masks_values_after_a_name_and_in_addresses(line: str) -> None:
    """The value after a name such as password is masked; the name stays."""
    masked = text.safe(line)
    assert text.MASK in masked
    assert VALUE not in masked
    assert WORDS not in masked
    assert masked[:4] == line[:4]


def test_the_quick_check_recognises_each_secret() -> None:
    """The quick check skips the patterns only for texts that they would not change."""
    for secret in (*SECRETS.values(), *NAMED.values(), *OTHERS):
        shown = text.plain(secret)
        assert text.mask(shown) == secrets.masked(shown, text.MASK) != shown


def test_names_of_state_files_need_no_patterns() -> None:
    """Compiling the patterns takes longer than all else at a start, so paths must not look like secrets."""
    paths = (f".agents/sessions/20261127-032346-piece-of-work-number-{number}.md" for number in (9, 99, 9999))
    script = f"""
import sys
from holdfast.trust import safe
assert all(safe.line(path) == path for path in {[*paths]})
sys.exit("holdfast.trust.secrets" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("behind", ["", "}", "}}]", "[Phase 1]", "[Phase", "'more", " more", ", more"])
def test_masking_twice_changes_nothing_more(behind: str) -> None:
    """Masking a text twice gives the same as masking it once."""
    for line in NAMED.values():
        once = text.safe(line + behind)
        assert text.safe(once) == once, line


def test_a_literal_mask_protects_no_value() -> None:
    """A value after a literal mask is masked too."""
    assert text.mask(f"token={text.MASK}{VALUE}") == f"token={text.MASK}"


@pytest.mark.parametrize("ordinary", ORDINARY)
def test_leaves_ordinary_text_alone(ordinary: str) -> None:
    """Ordinary text that resembles a secret stays as it is."""
    assert text.safe(ordinary) == ordinary


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        pytest.param("\x1b[1;31mred\x1b[0m", "red", id="colours"),
        pytest.param("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab", id="titles and links"),
        pytest.param("a\x1bPq#0\x1b\\b\x1b_x\x1b\\c", "abc", id="device strings"),
        pytest.param("a\x1b(Bb", "aBb", id="character sets"),
        pytest.param("a\x9b31mb\x1b", "a31mb", id="8-bit and cut-off escapes"),
        pytest.param("a\u202eb\u2066c\u2069\u200fd", "abcd", id="bidirectional marks"),
        pytest.param("a\u200bb\u2060c\ufeffd\xade", "abcde", id="zero width"),
        pytest.param("a\U000e0041b\ufffec\uffffd", "abcd", id="tag characters and no characters"),
        pytest.param("a\ud800b\udfffc", "abc", id="lone surrogates"),
        pytest.param("a\x00\x07\x08b\x7fc", "abc", id="controls"),
        pytest.param("a\r\nb\rc\td\n", "a\nb\nc\td\n", id="line ends and tabs"),
        pytest.param("é 日本 🎯 ﷽", "é 日本 🎯 ﷽", id="letters of any kind"),
    ],
)
def test_shows_plain_text_only(written: str, shown: str) -> None:
    """Escapes and invisible characters are removed; visible characters stay."""
    assert text.plain(written) == shown


@given(st.text(st.characters()) | st.text(st.sampled_from("\x1b[]0;m\x07\\P_^\r\n\u202e\u200bsktoken=-:/@ ")))
def test_safe_text_is_plain_utf8(given_text: str) -> None:
    """For any text the result is valid UTF-8 without control characters, and plain."""
    safe = text.safe(given_text)
    safe.encode()
    assert not [mark for mark in safe if unicodedata.category(mark) == "Cc" and mark not in "\t\n"]
    assert text.plain(safe) == safe


@given(st.text(st.characters()), st.integers(1, 400))
@example("word " * 10_000, 300)
@example(" " * 20_000 + "end", 5)
@example("a\u2028b\x85c\x0bd", 300)
def test_a_line_is_one_line_within_its_limit(given_text: str, limit: int) -> None:
    """A line has no line end, no blanks at its ends, and at most `limit` characters."""
    line = text.line(given_text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert line == line.strip()


def test_a_line_masks_before_it_clips() -> None:
    """A secret at the limit is masked before the text is cut."""
    assert text.line("x " + SECRETS["OpenAI"], 20) == f"x {text.MASK}"


@pytest.mark.parametrize(
    ("limit", "clipped"), [(11, "hello world"), (10, "hello wor…"), (7, "hello…"), (1, "…")], ids=str
)
def test_clips_with_an_ellipsis(limit: int, clipped: str) -> None:
    """A text that is too long ends with an ellipsis, within the limit."""
    assert text.clip("hello world", limit) == clipped


@pytest.mark.slow
@pytest.mark.parametrize("part", HOSTILE)
def test_time_is_linear_in_the_text(part: str) -> None:
    """A hostile text of 200,000 characters takes linear time; quadratic time would exceed the time limit."""
    for end in ("", "="):
        assert len(text.safe(part * (200_000 // len(part)) + end)) <= 200_000 * len(text.MASK)


@pytest.mark.parametrize(
    ("value", "secret"),
    [('"lilac"', False), ('"lilacs"', True), ("lilacs", False), ("lil!cs", True)],
)
def test_what_follows_the_password_is(value: str, *, secret: bool) -> None:
    """A word is none unless it is in quotes, and nothing of less than six characters is."""
    assert values.is_typed_secret("the password is", value, beside=False) is secret


@pytest.mark.parametrize(
    "line",
    [
        "the password is correct-horse",
        "The passphrase was correct-horse-battery-staple.",
        "password: correct-horse",
        "- **Password:** correct-horse",
        "passphrase = correct-horse-battery",
        "password:\n  correct-horse",
        "password: correcthorse",
        "db:\n  - password: correcthorse\n  user: me",
        "export APP_DB_PASSWORD: correcthorse  # for tests",
        "pwd=correcthorse",
        "export PASS=correcthorse",
    ],
)
def test_masks_passwords_of_words(line: str) -> None:
    """A password may be words with hyphens, or one word that is joined without a blank or has a line with its name."""
    assert "horse" not in text.mask(line)
    assert text.MASK in text.mask(line)


@pytest.mark.parametrize("words", ["case-sensitive", "hard-coded", "read-only", "up-to-date", "one-time", "re-usable"])
def test_leaves_what_is_said_of_a_password(words: str) -> None:
    """Words with a hyphen that describe a password are no password; nor is a YAML key on the next line."""
    for line in (f"the password is {words}", f"password: {words}", "password:\n  reset-link: yes"):
        assert text.mask(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "password: required",
        "password: string",
        "the new password: careful",
        "password: enter yours",
        "  passed: eighteen",
    ],
)
def test_leaves_a_word_that_is_no_password(line: str) -> None:
    """A word that says what a password is or that is part of a sentence stays."""
    assert text.mask(line) == line


TYPED = "cS0NFR3Pcb9xY"
BELOW = [
    "password: |\n  {}",
    "password: >-\n  {}",
    "password: |2\n    {}\n",
    "db:\n  - password: |-\r\n      {}\r\n  user: me",
    "password:\n\n  {}",
    "secret:\n  {}",
    "API_TOKEN=\n{}",
]


@pytest.mark.parametrize("line", BELOW)
@pytest.mark.parametrize("value", ["a1b2c3d4", "hunter22x1", "S3cr3t!", "hunter2", "Sommer2024"])
def test_masks_the_value_on_a_line_below(line: str, value: str) -> None:
    """A value with letters and digits that has a line for itself, also as a block of YAML and after an empty line."""
    assert value.strip("!") not in text.mask(line.format(value))


@pytest.mark.parametrize(
    "line",
    [
        "the pass is {}",
        "use password {} to log in",
        "password -> {}",
        "Password {}",
        "password\t{}",
        "the api key {} works",
        "access-key\t{}",
        "vault login {}",
        "curl --proxy-user me:{} https://host.example",
        "ENV API_KEY {}",
        "ENV DB_PASS {}",
        "setx TOKEN {}",
        "npm config set //registry.example/:_authToken {}",
        "aws configure set aws_secret_access_key {}",
        "mongo -u me -p {}",
        "//user:{}@host/path",
        "clone (//user:{}@host.example/path)",
        "<summary>//user:{}@host.example/path</summary>",
    ],
)
def test_masks_what_stands_beside_a_name(line: str) -> None:
    """A value whose letters and digits alternate, without anything that joins it, and after more programs."""
    assert TYPED not in text.mask(line.format(TYPED))
    assert text.mask(line.format(TYPED)) == secrets.masked(line.format(TYPED), text.MASK)


@pytest.mark.parametrize(
    "line",
    [
        "auth=hello123",
        "SSH_KEY=hunter2",
        "tokens=abcd1234",
        "cookie=hello123",
        "token=123456",
        "secret: 12345678",
        "api_key=123456",
        "password: 123456",
        "password=abcde",
        "password=ab12c",
        "password: ab12c",
        "secret=correct-horse-battery",
        "token=correct-horse",
    ],
)
def test_masks_short_values_that_are_joined(line: str) -> None:
    """Numbers, five characters, and words with hyphens, where a name is joined by `=` without a blank."""
    name = line.partition("=")[0].partition(":")[0]
    assert text.mask(line) in {f"{name}={text.MASK}", f"{name}: {text.MASK}"}


@pytest.mark.parametrize(
    "line",
    [
        "f(token=None, key=lambda row: row[1], auth=auth)",
        "max_tokens=4096, max_token=400000, tokens: 1234, token = 5",
        "key=column2, sort_key=created1, key: value, primary_key=id",
        "auth=required, auth=oauth2, sig=ed25519, author=user1234",
        "token=response, secret=value, password=None, pass=false",
        "token:\n  type: text2\n  name: x",
        "secret:\n  secretName: web-tls2",
        "Notes on the password:\nreset it after 30 days",
        "The token:\n  step2 of the login takes it",
        "the password field, a token bucket, the secret santa, an API key rotation",
        "the first pass is O(n^2), the second pass is 10x faster",
        "the env var TOKEN and the env key are read; ENV PATH /usr/bin:$PATH",
        "vault login command, vault login -method=userpass",
        "PASS: vers3 and PASS: strip",
        '"passwd:shell", "SSH_ASKPASS_REQUIRE": "never"',
        "// see me@host.example: it says //TODO and //x",
        '"AWS::KMS::Key": "309b26469128fd0a", "AWS::SecurityHub::Insight": "6c43c37d361a91ef"',
        '"KeyArn": "arn:aws:kms:us-east-2:111122223333:key/alsuwfxug3pgy6xh"',
        '"minipass": "^7.1.2", compass: 2.3.4-beta',
        "Token: '#dddddd'",
        'def ask(prompt: str = "Password: ", stream: TextIO | None = None) -> str: ...',
        "#define sk_X509_NAME_ENTRY_sort(sk) OPENSSL_sk_sort(sk)",
        "git:ada99@example.org, from:ada@example.org, @pytest.mark.slow",
        "542A 542B 542C 542D 542E 542F 5430 5431 5432 5433, 1234567890123456, 0.4111111111111111",
        "the backup codes table of schema v2, a recovery code path in src/recovery.py",
        "openssl version -a; net use of memory; htpasswd -v; ssh-keygen -t ed25519 -f key",
        "basicAuthArn: arn:aws:secretsmanager:us-east-1:01234567890:secret:MyBroker2Name",
        "headers.Authorization = 'Bearer ' + apiKey1; headers['X-Token'] = \"Basic \" + b64",
        "type Token = XOAuth2Token; key_class = Ed25519Key; def on(sig='SIGUSR1'): ...",
        "authorizationURL: this._oauth2._authorizeUrl; [layerS3KeyOutputLogicalId]: newLayerS3KeyOutput",
        "if update_password == 'always' and password != 'never': ...",
        "* one pass: `d===t1?a:b2c`, where each case runs one",
        "docker run -v /var/run/docker.sock:/var/run/docker.sock -p 8080:8080 -p 127.0.0.1:5432:5432 x",
        '"Credentials": "providers/azure/guide/credentials", AUTH_TOKEN: "userauth-gssapi-token"',
        '"integrity": "sha512-UcjcJOWknrNkF6PLX83qcHM6KHgVKNkV62Y8a5uYDVv9ydGQVwAHMKqHdJje1VTWpljG0WYpCDhrCdAOYH4TWg',
        '"V1SecretProjection": ".models.v1_secret_projection", "token": TEST_DATA_BASE64, cookie: cookie={user_cookie}',
        "private_key: Ed25519PrivateKey | Ed448PrivateKey; apiSecret: exports.GA4_PROPERTIES.vscode.apiSecret,",
        "secretName = `ext-${instance1}-b2c`; const authChoiceToken = 'Authorize with a personal access token';",
        "Enter your login and password below. The token is still valid, the password is currently unset.",
        'headers["Authorization"] = "Basic {}".format(secret_key); resetmypasswordview = ResetMyPasswordView',
        'token: "#/definitions/ApiKeyAuthenticator"',
        "A host key is **known** when it appears; 2048 SHA256:aYNHYcyVm87Igh0IMEDMbvW0QDlRQfE0aJugp684ko8 me@host",
        "Contraseña cambiada correctamente. Das Passwort darf nicht fehlen. Uw wachtwoord moet lang zijn.",
        "secret_type = 'NPM tokens', password_type: 'plain text', token_kind = \"Private Key\"",
        'change_password_form = AdminPasswordChangeForm; password1_field_name="password1"',
        "RPC_S_AUTH_NOKEY = 0X16C9A0F3, KPASSWD_PROTOCOL_VERSION = 0xFF80",
        "import json random string time types typing pathlib shutil socket struct tempfile textwrap",
    ],
)
def test_leaves_what_only_resembles_a_named_value(line: str) -> None:
    """Code, counts, words, keys of mappings and results of tests stay."""
    assert text.mask(line) == line


def test_names_in_values_are_looked_at_to_a_depth() -> None:
    """However many names are joined to each other, a text is masked."""
    given = "a_key=" * 4000 + "x"
    assert len(text.mask(given)) <= len(given)


@pytest.mark.parametrize("line", ["Shall I use password={}?", "Shall I use password={}?\n", "Is it --token {}?"])
def test_a_question_stays_one(line: str) -> None:
    """Although its mark is joined to the secret, by which it ends."""
    assert text.mask(line.format(VALUE)).rstrip() == line.format("[masked]").rstrip()
