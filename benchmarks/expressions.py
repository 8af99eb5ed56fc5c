"""A case's expression rewritten as text for peers that need another form of it.

Owns the walk over Python's syntax tree. Knows neither arrays nor libraries.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

FUNCTIONS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Pow: "power",
}
"""The name that NumPy and PyTorch give to a Python operator."""


def parse(text: str) -> ast.expr:
    """The syntax tree of an expression."""
    return ast.parse(text, mode="eval").body


def outermost(expression: str) -> tuple[str, list[str]]:
    """The operation applied last, by its function's name, and its operands as text."""
    match parse(expression):
        case ast.BinOp(left, op, right):
            return FUNCTIONS[type(op)], [ast.unparse(left), ast.unparse(right)]
        case ast.Call(ast.Name(name), args):
            return name, [ast.unparse(x) for x in args]
        case _:
            raise ValueError(f"not an operation: {expression}")


class Rewriter(ast.NodeTransformer):
    """Replaces arguments, fractional literals and calls by other text.

    ``names`` maps an argument to its text, ``literal`` a float, and ``calls`` a function to a
    template with one {} for each operand.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        literal: Callable[[float], str],
        calls: Mapping[str, str],
    ) -> None:
        self.names, self.literal, self.calls = names, literal, calls

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return parse(self.names.get(node.id, node.id))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return parse(self.literal(node.value)) if isinstance(node.value, float) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        operands = [ast.unparse(self.visit(x)) for x in node.args]
        assert isinstance(node.func, ast.Name)
        template = self.calls.get(node.func.id)
        if template is None:
            return parse(f"{node.func.id}({', '.join(operands)})")
        return parse(template.format(*operands))

    def text(self, expression: str) -> str:
        """The rewritten expression."""
        return ast.unparse(self.visit(parse(expression)))
