"""Hold a repository of agent plugins to one contract for its model judges."""
