"""What several test modules need: clones, machines to install on, packages."""
