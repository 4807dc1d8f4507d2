"""What notebooks show."""
import numpy as np
import pytest

import tegula as tg
from tegula import html


def test_array(tmp_path):
    a = tg.create(str(tmp_path / 'a'), format='zarr2', shape=(100, 60), chunks=(50, 20), dtype='f4', filters=['zstd:3'])
    shown = a._repr_html_()
    assert '(100, 60)' in shown and '6 of them' in shown and 'float32' in shown and 'zstd:3' in shown
    assert shown.count('<line') == 1 + 2


def test_names_are_escaped(tmp_path):
    a = tg.create(str(tmp_path / 'a'), dims=[tg.Dim('x', (0, 3), 2)], attrs=[tg.Attr('<b>', 'i4')])
    shown = a._repr_html_()
    assert '&lt;b&gt;' in shown and '<b>' not in shown


def test_sparse(tmp_path):
    a = tg.create(str(tmp_path / 'a'), sparse=True, dims=[tg.Dim('x', (-5, 3), 2)], attrs=[tg.Attr('v', 'i4')])
    assert 'sparse' in a._repr_html_() and '-5 … 3' in a._repr_html_()


def test_group(tmp_path):
    g = tg.create_group(str(tmp_path / 'g'), 'zarr3')
    g.create('inside', shape=3, dtype='i4')
    assert 'inside' in g._repr_html_()


@pytest.mark.parametrize('shape, chunks', [((5,), (2,)), ((1,), (1,)), ((4, 3, 2), (1, 2, 2)), ((10**9, 3), (1, 3)), ((7, 7), (100, 100))])
def test_grids_of_all_kinds(shape, chunks):
    picture = html.grid_svg(shape, chunks)
    assert picture.startswith('<svg') and picture.endswith('</svg>') and picture.count('<line') <= 2 * html._MAX_LINES
