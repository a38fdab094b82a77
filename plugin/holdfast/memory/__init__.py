"""Working memory: the six sections, tasks, plans, phases and detours."""
