"""The formats of state files: data, recognition, model and audit."""
