"""A worker that reads and never answers."""

import sys

for _ in sys.stdin:
    pass
