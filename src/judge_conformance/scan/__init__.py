"""Find the model judges of a tree by what the code does, and where a default looks fail-open."""
