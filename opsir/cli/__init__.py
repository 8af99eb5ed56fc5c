"""The command lines: ``opsir-opt`` and ``opsir-run``."""
