"""Find the model judges of a tree by what the code does, and where a default looks fail-open."""

from judge_conformance.scan.found import Advice, Judge, Named, Scan
from judge_conformance.scan.tree import scan_tree

__all__ = ["Advice", "Judge", "Named", "Scan", "scan_tree"]
