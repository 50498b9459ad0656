"""What following values through a file takes in either language."""
