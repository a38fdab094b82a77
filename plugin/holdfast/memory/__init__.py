"""The working memory of a project: open questions, ids, and the sections that show what is going on."""
