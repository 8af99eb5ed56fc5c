"""Registry of passes in pipeline order: name to ``"module:Class"``, loaded when asked for."""

from __future__ import annotations

PASSES: dict[str, str] = {
    "promote-types": "opsir.passes.promote_types:PromoteTypesPass",
    "infer-shapes": "opsir.passes.infer_shapes:InferShapesPass",
    "lay-out-results": "opsir.passes.lay_out_results:LayOutResultsPass",
    "canonicalize": "opsir.passes.canonicalize:CanonicalizePass",
    "fold-views": "opsir.passes.fold_views:FoldViewsPass",
    "fuse-elementwise": "opsir.passes.fuse_elementwise:FuseElementwisePass",
    "lower-to-nest": "opsir.passes.lower_to_nest:LowerToNestPass",
    "order-axes": "opsir.passes.order_axes:OrderAxesPass",
    "coalesce-axes": "opsir.passes.coalesce_axes:CoalesceAxesPass",
    "expand-ops": "opsir.passes.expand_ops:ExpandOpsPass",
    "legalize-half": "opsir.passes.legalize_half:LegalizeHalfPass",
    "expand-math": "opsir.passes.expand_math:ExpandMathPass",
    "schedule": "opsir.passes.schedule:SchedulePass",
    "plan-memory": "opsir.passes.plan_memory:PlanMemoryPass",
}
