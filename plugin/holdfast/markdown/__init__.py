"""Markdown as bytes with a known structure: sections, lists, labels, tables and frontmatter, by their offsets."""
