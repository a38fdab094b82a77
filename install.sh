#!/bin/sh
# Install holdfast from this clone, or take it away again: ./install.sh --help
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
python=$("$root/hooks/find-python") || { printf 'install.sh: %s\n' "$python" >&2 && exit 1; }
exec "$python" -I -S "$root/plugin/holdfast/project/install.py" "$@"
