"""The command line: what hooks do by themselves, done by hand. The only importer of click."""
