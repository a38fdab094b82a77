"""Kinds of secrets in the texts that people and tools write, each with the part that must appear nowhere."""

from __future__ import annotations

import random
import string

from tests.support import keys

_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"


def _drawn(name: str, characters: str, count: int) -> str:
    """Return characters drawn for a kind; the same at each run, with letters and digits in turn at the beginning."""
    dice = random.Random(name)  # noqa: S311 - a key that opens nothing
    letters = [char for char in characters if char.isalpha()]
    return "".join(
        dice.choice(string.digits if number in {1, 3} else letters if number in {0, 2} else characters)
        for number in range(count)
    )


# Kind: what is before the secret, its characters, their count, and what is behind it.
_WRITTEN: dict[str, tuple[str, str, int, str]] = {
    "PGP private key": (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n",
        _LETTERS,
        120,
        "\n-----END PGP PRIVATE KEY BLOCK-----",
    ),
    "RSA private key": ("-----BEGIN RSA PRIVATE KEY-----\n", _LETTERS, 120, "\n-----END RSA PRIVATE KEY-----"),
    "EC private key, cut": ("-----BEGIN EC PRIVATE KEY-----\n", _LETTERS, 60, ""),
    "SSH2 private key": (
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n",
        _LETTERS,
        90,
        "\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ),
    "encrypted key": ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", _LETTERS, 90, "\n-----END ENCRYPTED PRIVATE KEY-----"),
    "PuTTY key": ("PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n", _LETTERS, 60, "\nPrivate-MAC: 12ab"),
    "variable PASS": ("DB_PASS=", _LETTERS, 12, ""),
    "variable PWD": ("MYSQL_PWD=", _LETTERS, 12, ""),
    "variable PGPASSWORD": ("PGPASSWORD=", _LETTERS, 12, " psql"),
    "variable SECRET": ("export APP_SECRET=", _LETTERS, 20, ""),
    "variable TOKEN": ("CI_JOB_TOKEN=", _LETTERS, 20, ""),
    "variable KEY": ("ENCRYPTION_KEY=", _LETTERS, 24, ""),
    "variable AUTH": ("REDIS_AUTH=", _LETTERS, 16, ""),
    "variable COOKIE": ("SESSION_COOKIE=", _LETTERS, 20, ""),
    "variable SIG": ("WEBHOOK_SIG=", _LETTERS, 20, ""),
    "variable CREDENTIAL": ("AZURE_CREDENTIAL=", _LETTERS, 20, ""),
    "password in YAML": ("password: ", _LETTERS, 12, ""),
    "password on the next line": ("password:\n    ", _LETTERS, 14, ""),
    "token on the next line": ("API token =\n", _LETTERS, 24, ""),
    "password in JSON": ('{"user": "app", "password": "', _LETTERS, 12, '"}'),
    "key in camel case": ('{"privateKey": "', _LETTERS, 24, '"}'),
    "password in a sentence": ("The password is ", _LETTERS, 12, "."),
    "token in a sentence": ("my token for staging is `", _LETTERS, 20, "`"),
    "secret in a sentence": ("The client secret is ", _LETTERS, 20, ", do not share it"),
    "password in XML": ('<add key="Password" value="x"/> Password="', _LETTERS, 12, '"'),
    "connection string": ("Server=db;User Id=app;Password=", _LETTERS, 14, ";Encrypt=true"),
    "password in properties": ("spring.datasource.password=", _LETTERS, 14, ""),
    "password in Markdown": ("- **Password:** ", _LETTERS, 14, ""),
    "userinfo": ("https://app:", _LETTERS, 14, "@host.example/x"),
    "userinfo of ftp": ("ftp://deploy:", _LETTERS, 14, "@files.example"),
    "userinfo of MongoDB": ("mongodb+srv://app:", _LETTERS, 14, "@cluster0.example.net/db"),
    "userinfo of AMQP": ("amqps://", _LETTERS, 20, "@queue.example"),
    "token as userinfo": ("https://", _LETTERS, 24, "@git.example/a/b.git"),
    "Sentry DSN": ("https://", _HEX, 32, "@o12.ingest.sentry.io/45"),
    "curl -u": ("curl -s -u admin:", _LETTERS, 14, " https://host.example"),
    "curl --user": ("curl --user admin:", _LETTERS, 14, " https://host.example"),
    "curl header": ("curl -H 'X-Api-Key: ", _LETTERS, 24, "' https://host.example"),
    "curl cookie": ("curl -H 'Cookie: sid=", _LETTERS, 24, "' https://host.example"),
    "mysql -p": ("mysql -u root -p", _LETTERS, 12, " shop"),
    "mysqldump -p": ("mysqldump -h db -p", _LETTERS, 12, " shop"),
    "mysql --password": ("mysql --password=", _LETTERS, 12, " shop"),
    "sshpass -p": ("sshpass -p ", _LETTERS, 12, " ssh host"),
    "docker login -p": ("docker login -u me -p ", _LETTERS, 14, " registry.example"),
    "zip -P": ("zip -r -P ", _LETTERS, 12, " all.zip src"),
    "7z -p": ("7z a -p", _LETTERS, 12, " all.7z src"),
    "redis-cli -a": ("redis-cli -h cache -a ", _LETTERS, 14, " ping"),
    "option --token": ("deploy --token ", _LETTERS, 20, " now"),
    "option --api-key": ("tool --api-key ", _LETTERS, 20, ""),
    "option --password=": ("createuser --password=", _LETTERS, 12, ""),
    "netrc on one line": ("machine host.example login me password ", _LETTERS, 14, ""),
    "netrc": ("machine host.example\n  login me\n  password ", _LETTERS, 14, ""),
    "docker auth": ('{"auths": {"registry.example": {"auth": "', _LETTERS, 28, '"}}}'),
    "npmrc auth": ("//registry.example/:_authToken=", _LETTERS, 36, ""),
    "pypirc": ("[pypi]\nusername = me\npassword = ", _LETTERS, 16, ""),
    "Azure SAS": ("https://a.blob.core.windows.net/c?sv=2022-11-02&sp=r&sig=", _LETTERS, 43, "%3D"),
    "Azure account key": ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", _LETTERS, 86, "=="),
    "FCM": ("AAAAaBcDeF1:APA91b", _LETTERS, 134, ""),
    "Discord bot": ("MTA5", _LETTERS, 20, ".GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789AB"),
    "Discord webhook, old": ("https://discordapp.com/api/webhooks/123456789012345678/", _LETTERS, 68, ""),
    "Teams webhook": ("https://x.webhook.office.com/webhookb2/", _LETTERS, 36, "@y/IncomingWebhook/z"),
    "bare hex of 32": ("use ", _HEX, 32, " for it"),
    "bare hex of 64": ("it is ", _HEX, 64, ""),
    "bare base64 of 32": ("use ", _LETTERS + "+/", 32, " for it"),
    "bare base64 of 44": ("value ", _LETTERS + "+/", 43, "="),
    "bare base64url of 48": ("and ", _LETTERS + "-_", 48, ""),
    "bare base36 of 32": ("use ", string.ascii_lowercase + string.digits, 32, " for it"),
    "bare base32 of 32": ("seed ", string.ascii_uppercase + "234567", 32, ""),
    "password in a block": ("password: |\n  ", _LETTERS, 12, ""),
    "password after an empty line": ("password:\n\n  ", _LETTERS, 12, ""),
    "password without a joint": ("use password ", _LETTERS, 14, " to log in"),
    "password with an arrow": ("password -> ", _LETTERS, 14, ""),
    "password with a tab": ("password\t", _LETTERS, 14, ""),
    "vault login": ("vault login ", _LETTERS, 14, ""),
    "curl --proxy-user": ("curl --proxy-user me:", _LETTERS, 14, " https://host.example"),
    "Dockerfile": ("ENV API_KEY ", _LETTERS, 14, ""),
    "userinfo without a scheme": ("//app:", _LETTERS, 14, "@host.example/x"),
    "basic authorization": ("Authorization: Basic ", _LETTERS, 28, "=="),
    "digest authorization": ("Authorization: token ", _LETTERS, 28, ""),
    "proxy authorization": ("Proxy-Authorization: Basic ", _LETTERS, 28, ""),
    "cookie header": ("Cookie: session=", _LETTERS, 32, "; theme=dark"),
    "set-cookie header": ("Set-Cookie: id=", _LETTERS, 32, "; HttpOnly"),
    "signed address": ("https://bucket.example/x?X-Amz-Signature=", _HEX, 64, "&X-Amz-Expires=60"),
    "key in an address": ("https://maps.example/api?key=", _LETTERS, 32, "&v=1"),
    "token in an address": ("https://host.example/hook?access_token=", _LETTERS, 32, ""),
    "bcrypt hash": ("$2b$12$", _LETTERS, 53, ""),
    "crypt hash": ("root:$6$saltsalt$", _LETTERS, 86, ":19000:0"),
    "htpasswd": ("admin:$apr1$abcdefgh$", _LETTERS, 22, ""),
    "Kubernetes secret": ("kind: Secret\ndata:\n  password: ", _LETTERS, 24, "=="),
    "Terraform variable": ('db_password = "', _LETTERS, 14, '"'),
    "Ruby hash": (":secret_key_base => '", _LETTERS, 40, "'"),
    "Go assignment": ('apiKey := "', _LETTERS, 32, '"'),
    "Laravel APP_KEY": ("APP_KEY=base64:", _LETTERS + "+/", 43, "="),
    "Django SECRET_KEY": ("SECRET_KEY = 'django-insecure-", _LETTERS, 40, "'"),
    "two-factor secret": ("otpauth://totp/x?secret=", string.ascii_uppercase + "234567", 32, "&issuer=y"),
    "GitLab feature flags": ("glffct-", _LETTERS, 20, ""),
    "Flutterwave": ("FLWSECK_TEST-", _HEX, 32, "-X"),
    "Duffel": ("duffel_test_", _LETTERS, 43, ""),
    "ReadMe": ("rdme_", "0123456789abcdefghijklmnopqrstuvwxyz", 70, ""),
    "OpenShift": ("sha256~", _LETTERS, 43, ""),
    "1Password": ("ops_eyJ", _LETTERS, 260, ""),
    "Grafana service": ("glsa_", _LETTERS, 32, "_0a1b2c3d"),
    "Harness": ("pat.", _LETTERS, 22, ".0123456789abcdef01234567.abcdefghijklmnopqrst"),
    **{
        kind: (before, _LETTERS, 14, behind)
        for kind, (before, behind) in {
            "address in a name": ("postgres:__app:", "@db.example"),
            "address in a name, one slash": ("mongodb+srv:/app:", "@db.example"),
            "address in a name, no colon": ("postgres___app_", "@db.example"),
            "login of a host": ("app:", "@db.example:5432/shop"),
            "sqlcmd -P": ("sqlcmd -S host -U sa -P ", " -Q select"),
            "bcp -P": ("bcp shop.t out f -U sa -P", ""),
            "smbclient -U": ("smbclient //host/share -U me%", " -c ls"),
            "rpcclient --user": ("rpcclient --user=me%", " host"),
            "htpasswd -b": ("htpasswd -bB -C 10 .htpasswd admin ", ""),
            "htpasswd, options together": ("htpasswd -bnBC 12 admin ", ""),
            "smbclient --user": ("smbclient -L nas --user=me%", ""),
            "German, with an adverb": ("mein Passwort ist jetzt ", ""),
            "htpasswd -nb": ("htpasswd -nb admin ", ""),
            "openssl enc -k": ("openssl enc -aes-256-cbc -k ", " -in a"),
            "openssl -passout": ("openssl genrsa -passout pass:", " 2048"),
            "net use, behind": (r"net use Z: \\srv\share /user:dom\me ", ""),
            "net use, before": (r"net use \\srv\share ", " /user:me /persistent:no"),
            "net user": ("net user alice ", " /add"),
            "rar -hp": ("rar a -hp", " all.rar src"),
            "plink -pw": ("plink -ssh me@host -pw ", " ls"),
            "ssh-keygen -N": ("ssh-keygen -t ed25519 -N ", " -f key"),
            "lftp -u": ("lftp -u me,", " sftp://host"),
            "http -a": ("http -a me:", " GET host"),
            "keytool -storepass": ("keytool -list -storepass ", " -keystore a"),
            "xfreerdp /p": ("xfreerdp /u:me /p:", " /v:host"),
            "rabbitmqctl": ("rabbitmqctl add_user me ", ""),
            "typed in Go": ('var stripeToken string = "', '"'),
            "assigned in a Makefile": ('API_TOKEN ::= "', '"'),
            "assigned unless it is set": ("ENV['APP_TOKEN'] ||= '", "'"),
            "appended in PHP": ('$appToken .= "', '"'),
            "argument of a property": ('System.setProperty("APP_TOKEN", "', '")'),
            "otherwise of a variable": ('os.environ.get("APP_TOKEN", "', '")'),
            "otherwise in JavaScript": ('process.env.APP_TOKEN || "', '"'),
            "argument of a setter": ('client.setApiKey("', '")'),
            "tag of three lines": ("<app_token>\n  ", "\n</app_token>"),
            "column of a table": ("| app token | ", " |"),
            "column of a table, as code": ("| app API key | `", "` |"),
            "in parentheses": ("app token (", ")"),
            "default of Terraform": ('variable "app_token" {\n  default = "', '"\n}'),
            "set in CMake": ('set(APP_TOKEN "', '")'),
            "document in a shell": ("app_token=<<EOF\n", "\nEOF"),
            "gh secret set": ("gh secret set APP_TOKEN --body ", ""),
            "piped to a program": ("echo ", " | wrangler secret put APP_TOKEN"),
            "pw": ("pw ", ""),
            "pw, joined": ("db pw: ", ""),
            "pw in a sentence": ("the pw for staging is ", ""),
            "German": ("Das Passwort ist ", ""),
            "German, of something": ("Das Passwort für den Server lautet ", "."),
            "German, joined": ("Kennwort: ", ""),
            "French": ("mot de passe : ", ""),
            "Spanish": ("la contraseña es ", ""),
            "Portuguese": ("a senha é ", ""),
            "Dutch": ("wachtwoord: ", ""),
            "Russian": ("пароль: ", ""),
            "Chinese": ("密码\uff1a", ""),
        }.items()
    },
    "Discord bot, old": ("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.", _LETTERS, 27, ""),
    "Discord bot, new": ("MTA5ODc2NTQzMjEwOTg3NjU0Mw.GhIjKl.", _LETTERS, 38, ""),
    "Bitwarden": ("0.48c78342-1635-48a6-accd-afbe01336365.", _LETTERS, 30, ":B3h5D+YgLvFiQhWkIq6Bow=="),
    "Amazon MWS": ("amzn.mws.4ea38b7b-f563-7709-4bae-", _HEX, 12, ""),
    "Brave": ("BSA", _LETTERS, 28, ""),
    "Sumo": ("sumo_access_key = ", _LETTERS, 64, ""),
}

_WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
# Kinds that are no drawn characters: the text, and the part that must appear nowhere.
_LISTED = {
    "card": ("4111 1111 1111 1111", "1111 1111"),
    "card without blanks": ("5555555555554444", "55555555"),
    "card of fifteen digits in fours": ("3463-8657-2227-078", "8657-2227"),
    "card of fifteen digits": ("3782-822463-10005", "822463"),
    "recovery codes": ("recovery codes: a1b2c-3d4e5 f6071-82b3c", "82b3c"),
    "recovery codes below": ("Backup codes for GitHub:\n\n1. 1234 5678\n2. 8765 4321", "8765 4321"),
    "recovery codes in capitals": ("Recovery codes\n- ABCD-EFGH-IJKL\n- MNOP-QRST-UVWX", "MNOP-QRST"),
    "German recovery codes": ("Sicherungscodes: 4f5g-6h7j, 8k9m-2n3p", "8k9m-2n3p"),
    "words of a wallet": (_WORDS, "sausage worth"),
    "words of a wallet, joined": (_WORDS.replace(" ", "-"), "sausage-worth"),
    "words of a wallet, numbered": (
        "\n".join(f"{number}. {word}" for number, word in enumerate(_WORDS.split(), 1)),
        "sausage",
    ),
    "words of another wallet": (
        "seed phrase: vexed pylons gnaw tuxedo ammo eluded fizzle inkling oozed pebbles ruined uttered",
        "eluded fizzle",
    ),
}


def table() -> dict[str, tuple[str, str]]:
    """Return each kind with its text and the part that must appear nowhere."""
    found = {issuer: (keys.made(issuer), keys.telling(issuer)) for issuer in keys.SHAPES}
    for kind, (before, characters, count, behind) in _WRITTEN.items():
        secret = _drawn(kind, characters, count)
        found[kind] = (before + secret + behind, secret)
    return found | _LISTED


def named() -> dict[str, tuple[str, str]]:
    """Return the kinds on one line and without a `/`, so that a file or a branch can have such a name."""
    return {
        kind: pair for kind, pair in table().items() if not set(pair[0]) & set("/\n\\~^:?*[ ") and len(pair[0]) < 120
    }
