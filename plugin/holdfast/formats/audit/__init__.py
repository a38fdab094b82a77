"""What is wrong in a state file: findings, each with its line."""
