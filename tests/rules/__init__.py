"""The rules of the code itself: structure, manifest and documents."""
