"""Sabotage: break a source on purpose, mutant by mutant, and demand that its checks notice."""
