"""Benchmarks: opsir beside other array libraries and the memory's limits, in one run."""
