"""The board: a full-screen application, and the same as plain text. Only this package imports Textual."""
