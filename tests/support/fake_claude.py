"""Stands in for `claude plugin …`: keeps what it gets in one file, logs each call, fails or hangs where asked to."""

import json
import os
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
STATE, LOG, FAIL, HANG = (f"{FOLDER}/claude-{name}" for name in ("state", "log", "fail", "hang"))
Entries = list[dict[str, str]]


def read(path: str) -> str:
    """Return a file's text, "" when it is not there."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def listing(args: list[str], markets: Entries, plugins: Entries) -> bool:
    """Answer a question; False when it is none."""
    if args[-2:] == ["list", "--json"]:
        sys.stdout.write(json.dumps(markets if args[0] == "marketplace" else plugins))
    return args[-2:] == ["list", "--json"]


def market(args: list[str], markets: Entries) -> bool:
    """Change the marketplaces; False for what the real client would refuse."""
    if args[0] == "add":
        markets[:] = [{"name": "holdfast-tools", "source": "directory", "path": args[1]}]
    elif args[0] == "remove" and markets:
        markets.clear()
    return args[0] in ("add", "update") or not markets


def plugin(args: list[str], markets: Entries, plugins: Entries) -> bool:
    """Change the plugins; False for what the real client would refuse."""
    verb, name, _, scope, *_ = args
    here = {"id": name, "scope": scope} | ({} if scope == "user" else {"projectPath": os.getcwd()})
    same = [entry for entry in plugins if {**entry, **here} == entry]
    if verb != "install" and not same:
        return False
    plugins[:] = [entry for entry in plugins if entry not in same]
    if verb != "uninstall":
        plugins.append(
            here | {"version": json.loads(read(markets[0]["path"] + "/.claude-plugin/plugin.json"))["version"]}
        )
    return True


def main() -> int:
    """Answer one call."""
    args = sys.argv[2:]
    line = " ".join(args)
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(line + "\n")
    for name in (FAIL, HANG):
        if os.path.exists(name) and line.startswith(read(name)):
            time.sleep(60 if name == HANG else 0)
            sys.stderr.write("noise\nthe client's own words\n")
            return 1
    markets, plugins = json.loads(read(STATE) or "[[], []]")
    if listing(args, markets, plugins):
        return 0
    done = market(args[1:], markets) if args[0] == "marketplace" else plugin(args, markets, plugins)
    with open(STATE, "w", encoding="utf-8") as file:
        json.dump([markets, plugins], file)
    return 0 if done else 1


sys.exit(main())
