"""Arrays in notebooks: properties, sizes, and a picture of the chunk grid."""
from __future__ import annotations

import html
import math
from typing import Any, Iterable, List, Sequence, Tuple

from .capabilities import capabilities
from .display import size_text

_STYLE = 'border-collapse:collapse;font-size:90%'
_CELL = 'text-align:left;padding:2px 8px;vertical-align:top'
_MAX_LINES = 40  # of a grid along each axis; more would make it a grey area
_WIDTH = 160.0


def array_html(array: Any) -> str:
    """A table of properties and fields, and the chunk grid of dense arrays."""
    schema = array.schema
    facts = [('format', f'{schema.format} {schema.format_version}' if capabilities(schema.format).versions else schema.format)]
    picture = ''
    if not schema.sparse:
        facts += [('shape', _tuple(array.shape)), ('chunks', f'{_tuple(array.chunks)}, {_grid_text(array.shape, array.chunks)}'),
                  ('size', size_text(int(array.nbytes)))]
        if array.shape and all(array.shape):
            picture = grid_svg(array.shape, array.chunks)
    else:
        facts += [('cells', 'sparse, duplicates allowed' if schema.allows_duplicates else 'sparse'),
                  ('capacity', str(schema.capacity))]
    for dim in schema.dims:
        domain = '' if dim.domain is None else f'{dim.domain[0]} … {dim.domain[1]}'
        if schema.sparse or capabilities(schema.format).domains:
            facts.append((f'dimension {dim.name}', f'{dim.type_name} {domain}'))
    fields = [(a.name or '(no name)', _type_text(a), ' → '.join(map(str, a.filters or ())) or 'none') for a in schema.attrs]
    return (f'<div><table style="{_STYLE}"><tr><td style="{_CELL}">{_table(facts)}</td>'
            f'<td style="{_CELL}">{picture}</td></tr></table>'
            f'{_table(fields, ("field", "type", "filters"))}</div>')


def group_html(group: Any) -> str:
    rows = [(member.name, member.kind) for member in group.members]
    return f'<div>{_table([("format", group.format), ("members", str(len(rows)))])}{_table(rows, ("name", "kind"))}</div>'


def _type_text(attr: Any) -> str:
    parts = [attr.type_name, 'any number of values' if attr.var else '', 'nullable' if attr.nullable else '',
             f'of {attr.enumeration}' if attr.enumeration else '']
    return ', '.join(p for p in parts if p)


def _tuple(values: Iterable[int]) -> str:
    return '(' + ', '.join(f'{v:,}' for v in values) + ')'


def _grid_text(shape: Sequence[int], chunks: Sequence[int]) -> str:
    count = math.prod(-(-n // max(1, t)) for n, t in zip(shape, chunks))
    return f'{count:,} of them'


def _table(rows: Iterable[Tuple[str, ...]], heads: Tuple[str, ...] = ()) -> str:
    head = ''.join(f'<th style="{_CELL}">{html.escape(h)}</th>' for h in heads)
    body = ''.join('<tr>' + ''.join(f'<td style="{_CELL}">{html.escape(str(c))}</td>' for c in row) + '</tr>' for row in rows)
    return f'<table style="{_STYLE}">{f"<tr>{head}</tr>" if heads else ""}{body}</table>'


def grid_svg(shape: Sequence[int], chunks: Sequence[int]) -> str:
    """Draws the last two axes to scale, with lines between chunks; earlier axes are drawn as sheets behind them."""
    rows, cols = ((1, *shape)[-2:]) if len(shape) < 2 else shape[-2:]
    tile_rows, tile_cols = ((1, *chunks)[-2:]) if len(chunks) < 2 else chunks[-2:]
    # Very long and narrow shapes would look like lines, so sides differ by at most a factor of eight.
    ratio = min(8.0, max(0.125, rows / cols))
    width, height = (_WIDTH, _WIDTH * ratio) if ratio <= 1 else (_WIDTH / ratio, _WIDTH)
    sheets = min(3, math.prod(-(-n // max(1, t)) for n, t in zip(shape[:-2], chunks[:-2]))) if len(shape) > 2 else 1
    step = 8.0
    parts: List[str] = []
    for sheet in reversed(range(sheets)):
        x, y = 1 + step * sheet, 1 + step * (sheets - 1 - sheet)
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
                     'style="fill:#cfe3f3;stroke:#1f5f8b"/>')
    x, y = 1.0, 1 + step * (sheets - 1)
    for edges, across in ((_edges(rows, tile_rows), True), (_edges(cols, tile_cols), False)):
        for edge in edges:
            if across:
                at = y + height * edge
                parts.append(f'<line x1="{x:.1f}" y1="{at:.1f}" x2="{x + width:.1f}" y2="{at:.1f}" style="stroke:#1f5f8b"/>')
            else:
                at = x + width * edge
                parts.append(f'<line x1="{at:.1f}" y1="{y:.1f}" x2="{at:.1f}" y2="{y + height:.1f}" style="stroke:#1f5f8b"/>')
    side = step * (sheets - 1) + 2
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + side:.0f}" height="{height + side:.0f}" '
            f'role="img" aria-label="chunk grid">{"".join(parts)}</svg>')


def _edges(size: int, tile: int) -> List[float]:
    """Positions of the lines between chunks, from 0 to 1; fewer of them when there are too many to see."""
    count = -(-size // max(1, tile))
    stride = -(-count // _MAX_LINES)
    return [i * tile / size for i in range(stride, count, stride)]
