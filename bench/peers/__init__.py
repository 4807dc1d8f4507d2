"""Tegula and its peers on the same work in one run; docs/benchmarks.md says how to run it and how to read it."""
