"""opsir: an elementwise compiler with NumPy's semantics."""
