#!/bin/sh
# Install holdfast from this clone, or take it away again: ./install.sh --help
case $0 in */*) folder=${0%/*} ;; *) folder=. ;; esac
root=$(CDPATH='' cd -- "$folder" && pwd -P) || exit 1
python=$("$root/hooks/find-python") || { printf 'install.sh: %s\n' "$python" >&2 && exit 1; }
exec "$python" -I -S "$root/plugin/holdfast/project/install.py" "$@"
