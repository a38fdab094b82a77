"""The known shapes of state files, as data, and what people write in them: names, statuses, placeholders."""
