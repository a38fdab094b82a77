"""The settings of a project: what there is to set, and how its file and the variables are read."""
