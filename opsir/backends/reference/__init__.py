"""The reference back end: runs IR by walking it, one op at a time, through ``opsir.evaluate``."""
