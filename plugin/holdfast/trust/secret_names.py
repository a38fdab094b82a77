"""What stands before a secret: words for "password" in other languages, schemes of addresses, and programs' options.

`safe` looks for the names before it loads the patterns, so this module imports nothing.
"""

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
