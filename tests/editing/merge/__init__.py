"""Tests of the three-way merge of Markdown."""
