"""Three-way merge of Markdown documents: as a tree of named parts, with git's text merge for what has no name."""
