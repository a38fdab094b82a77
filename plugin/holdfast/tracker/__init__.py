"""Issues of GitHub and GitLab, through `gh` and `glab`: read and written only where the user's own settings say so.

`tools` runs the two programs, `writing` writes a text once, and `work` says which issue a session has, composes the
texts and does for a session what is switched on. Nothing here is imported where nothing is.
"""
