"""The command line, one module for each group of commands. The only importer of click, with cli/board."""
