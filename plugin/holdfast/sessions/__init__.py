"""All sessions that are known in a project: survey, lookup, resume and conflicts."""
