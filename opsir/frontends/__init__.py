"""Front ends: how IR text and traced Python functions become modules of the opsir dialect."""
