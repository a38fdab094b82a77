"""The proof of holdfast: small parts, whole processes, and the real client."""
