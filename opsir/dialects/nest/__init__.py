"""The ``nest`` dialect: loop nests whose operands are addresses that move along axes.

This file is its table of contents.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from opsir.dialects.nest.attributes import ExtentsAttr, TrajectoryAttr
from opsir.dialects.nest.kernel import KernelOp, YieldOp

Nest = Dialect("nest", [KernelOp, YieldOp], [ExtentsAttr, TrajectoryAttr])
