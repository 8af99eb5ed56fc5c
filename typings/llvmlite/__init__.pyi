"""Types of the part of llvmlite that opsir uses: the package itself is not annotated."""

from llvmlite import binding as binding
from llvmlite import ir as ir
