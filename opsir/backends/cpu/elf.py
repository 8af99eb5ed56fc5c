"""Which symbols an object file leaves undefined, read from its ELF symbol table.

Owns the few fields of the format that this takes. Knows nothing of what the code does.
"""

from __future__ import annotations

import struct

_SECTION_TABLE = struct.Struct("<8xQ10xHH")  # from e_phoff on: e_shoff, e_shentsize, e_shnum
_SECTION = struct.Struct("<4xI16xQQI12xQ")  # type, offset, size, link, entry size
_SYMBOL = struct.Struct("<IBxH16x")  # name, binding and type, section
_SYMBOL_TABLE = 2
_LOCAL = 0


def undefined_symbols(image: bytes) -> frozenset[str]:
    """Names that a 64-bit little-endian ELF object refers to and does not define."""
    assert image[:6] == b"\x7fELF\x02\x01"
    offset, size, count = _SECTION_TABLE.unpack_from(image, 32)
    sections = [_SECTION.unpack_from(image, offset + i * size) for i in range(count)]
    names: set[str] = set()
    for kind, start, length, link, _ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        strings = sections[link][1]
        for name, info, section in _SYMBOL.iter_unpack(image[start : start + length]):
            if section == 0 and info >> 4 != _LOCAL:
                end = image.index(b"\0", strings + name)
                names.add(image[strings + name : end].decode())
    return frozenset(names)
