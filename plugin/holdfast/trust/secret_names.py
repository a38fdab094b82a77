"""What stands before a secret (names, prefixes, options of programs), and the words of phrases that open a wallet.

`safe` looks for the names before it loads the patterns, so this module imports no other one of holdfast.
"""

import os

_FOLDER = os.path.dirname(__file__)
_seed_words: set[str] = set()  # read once they are needed

# Each is used as a name (`Passwort: …`) and in a sentence (`Passwort ist …`); "password" itself is in the patterns.
PASSWORD_WORDS = (
    *("passwort", "kennwort", "mot de passe", "contraseña", "contrasena", "senha", "wachtwoord", "lösenord", "hasło"),
    *("şifre", "пароль", "密码", "密碼", "パスワード", "비밀번호", "pw"),
)
IS = ("is", "was", "ist", "war", "lautet", "est", "es", "é", "è", "är")
ADVERBS = (
    "now",
    "set to",
    "still",
    "currently",
    "jetzt",
    "nun",
    "noch",
    "immer noch",
    "aktuell",
    "weiterhin",
    "ahora",
    "nu",
)
# Of addresses that have a password, as they are in names of files too: `postgres:__app:…@host`.
SCHEMES = (
    *("postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "redis", "rediss", "amqp", "amqps"),
    *("http", "https", "ftp", "ftps", "sftp", "ssh", "smb", "ldap", "ldaps", "mssql", "sqlserver", "clickhouse"),
    *("nats", "mqtt", "mqtts", "kafka", "smtp", "smtps", "imap", "imaps", "jdbc", "cassandra", "neo4j", "bolt"),
)
_ON_THE_LINE = r"[^\n|;]{0,200}?[ ]"
# Names of programs, and a pattern of what stands between one and its password; letters of options keep their case.
COMMANDS: "tuple[tuple[tuple[str, ...], str], ...]" = (
    (("sqlcmd", "bcp", "osql", "isql", "ipmitool", "mosquitto_pub", "mosquitto_sub"), _ON_THE_LINE + r"(?-i:-P)[ ]*"),
    (
        ("smbclient", "smbget", "smbcacls", "rpcclient", "winexe", "net ads", "net rpc"),
        _ON_THE_LINE + r"""(?:(?-i:-U)[ ]*|--user[ =])["']?[^\s%"']{1,64}+%""",
    ),
    (
        ("htpasswd",),
        r"(?=[^\n|;]{0,60}?[ ]-[a-zA-Z]*n)(?:[ ]+-\w+(?:(?<=(?-i:C))[ ]?\d{1,2})?){1,6}[ ]+[^\s-]\S{0,120}+[ ]+",
    ),
    (
        ("htpasswd",),
        r"(?![^\n|;]{0,60}?[ ]-[a-zA-Z]*n)(?:[ ]+-\w+(?:(?<=(?-i:C))[ ]?\d{1,2})?){1,6}(?:[ ]+[^\s-]\S{0,120}){2}[ ]+",
    ),
    (("openssl",), _ON_THE_LINE + r"-(?:k|pass(?:in|out|word)?)[ ]+(?:pass:)?"),
    (("net use",), _ON_THE_LINE + r"/user:\S{1,120}+[ ]+(?!/)"),
    (("net use",), r"(?:[ ]+[a-z*]:?)?[ ]+[\\/]{2,4}\S{1,120}+[ ]+(?=[^/\s]\S{0,120}+[ ]+/u)"),
    (("net user",), r"[ ]+[^/\s]\S{0,120}+[ ]+(?!/)"),
    (("rar", "unrar"), _ON_THE_LINE + r"-h?p(?=[^\s-])"),
    (("plink", "pscp", "psftp", "putty"), _ON_THE_LINE + r"-pw[ ]+"),
    (("ssh-keygen",), _ON_THE_LINE + r"(?-i:-[NP])[ ]+"),
    (("lftp",), _ON_THE_LINE + r"-u[ ]+[^\s,]{1,64}+,"),
    (("http", "https", "xh"), _ON_THE_LINE + r"-a[ ]+[^\s:]{1,64}+:"),
    (("keytool", "jarsigner", "apksigner"), _ON_THE_LINE + r"-(?:src|dest|new)?(?:store|key)pass(?:wd)?[ ]+(?:pass:)?"),
    (("psexec", "evil-winrm", "cqlsh", "influx", "snowsql", "nxc", "useradd", "usermod"), _ON_THE_LINE + r"-p[ ]+"),
    (("xfreerdp", "wfreerdp"), _ON_THE_LINE + r"/p:"),
    (("rclone obscure",), r"[ ]+"),
    (("gh secret set", "glab variable set", "flyctl secrets set"), _ON_THE_LINE + r"(?:-b|--body|-v|--value)[ =]+"),
    (
        ("echo", "printf", "echo -n"),
        (
            r"""(?:[ ]+["']%s["'])?[ ]+(?=["']?[^\s|]{4,200}+[ ]?[|][^\n]{0,80}?"""
            r"[ ](?:secret|--password-stdin|--with-token)\b)"
        ),
    ),
    (("wpa_passphrase", "rabbitmqctl add_user", "rabbitmqctl change_password"), r"[ ]+\S{1,120}+[ ]+"),
    (("snmpget", "snmpwalk", "snmpset"), _ON_THE_LINE + r"(?-i:-[AX])[ ]+"),
)

# The characters that join a name to a secret, as Markdown, addresses and HTML write them.
_WRITTEN = {
    "_": (r"\_", "&lowbar;"),
    "-": (r"\-",),
    "=": ("%3d", "%3D", "&equals;", "&#61;", "&#x3d;", "&#x3D;"),
    ":": ("%3a", "%3A", "&colon;", "&#58;", "&#x3a;", "&#x3A;"),
    '"': ("%22", "&quot;", "&#34;", "&#x22;"),
    " ": ("%20",),
}
_FORMS = [(form, char) for char, forms in _WRITTEN.items() for form in forms]
_FIRST = ("\\", "%", "&")  # characters of the forms


def decoded(text: str) -> str:
    """Return a text with these characters as they are meant."""
    if any(map(text.__contains__, _FIRST)):
        for form, char in _FORMS:
            if form in text:
                text = text.replace(form, char)
    return text


_SHORT = 4  # characters of a beginning that other texts may have too
_ENOUGH = 16  # characters after a longer one

# Only keys begin with these; twelve letters, digits and punctuation may follow.
DISTINCT = (
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-"),
    *("xoxr-", "xoxs-", "xapp-", "whsec_", "SG.", "GOCSPX-", "ya29.", "ATBB", "lin_oauth_", "dp.st.", "hvs.", "hvb."),
    *("glc_", "NRAK-", "NRII-", "NRJS-", "sbp_", "nfp_", "FlyV1 fm", "sq0csp-", "sq0idp-", "access_token$production$"),
    *("dt0s01.", "LTAI", "xai-", "dckr_pat_", "dckr_oat_", "CCIPAT_", "CCIPRJ_", "bkua_", "tskey-", "CFPAT-", "figd_"),
    *("AKCp", "cmVmdGtu", "aio_", "tfp_", "EZAK", "EZTK", "xsmtpsib-", "lsv2_pt_", "lsv2_sk_", "EAACEdEose0cBA"),
    *("sk-ant-", "r8_", "gsk_", "glpat-", "npm_secret_", "APA91b", "sntrys_", "pat-na1-", "pat-eu1-", "rpa_", "tvly-"),
    *("hvr.", "AQ.Ab8", "secret_v1_", "phc_", "phx_", "u-s4t2ud-", "patM", "ctp_", "wrap_v1_"),
    *("amzn.mws.", "sk-proj-", "sk-or-v1-", "sk-svcacct-", "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
    *("rzp_live_", "rzp_test_", "FLWSECK-", "FLWSECK_TEST-", "e2b_", "xaat-", "xapt-", "NRBR-", "squ_", "sqa_", "sqp_"),
    *("waka_", "RGAPI-", "HRKU-", "da2-", "PMAT-", "cosmo_"),
)
# Ordinary words may begin with these; many letters and digits, and nothing else, must follow.
WORDLIKE = ("npm_", "hf_", "dapi", "fo1_", "ico-", "AIza", "EAAA", "key-", "live_", "test_", "secret_")
# Keys of cloud accounts: capital letters and digits, twenty characters in all.
CAPITALS = ("AKIA", "ASIA", "AGPA", "AROA", "AIDA", "ABIA", "ACCA")


def prefixes_by_count() -> "dict[int, list[str]]":
    """Return the beginnings of the rule set by how many characters must follow."""
    found: dict[int, list[str]] = {}
    for count, *prefixes in _lines("rule_prefixes.txt"):
        least = int(count)
        for prefix in prefixes:
            found.setdefault(least * 3 // 4 if len(prefix) <= _SHORT else min(least, _ENOUGH), []).append(prefix)
    return found


def is_seed_word(word: str) -> bool:
    """Return whether a word is one of BIP-39 (https://github.com/bitcoin/bips, bip-0039/english.txt, MIT License)."""
    if not _seed_words:
        _seed_words.update(*_lines("seed_words.txt"))
    return word.lower() in _seed_words


def _lines(name: str) -> list[list[str]]:
    """Return the words of each line of a file of this package, without its comments."""
    with open(f"{_FOLDER}/{name}", "rb") as file:
        return [line.split() for line in file.read().decode().splitlines() if not line.startswith("#")]
