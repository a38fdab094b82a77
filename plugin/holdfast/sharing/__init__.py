"""Sessions of other machines: what is sent through a ref of git, and what is read from the refs of others."""
