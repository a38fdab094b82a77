"""The documents: the site is built from them, their commands are run, and their pictures are recorded."""
