#!/usr/bin/env python3
"""One rule for aggregates, NaN, NaT, booleans and rows that match, in every format."""
import itertools, json, math

from harness import CommandTest, main, npy

DENSE = ('tiledb', 'bcolz', 'zarr2', 'zarr3')
KINDS = DENSE + ('sparse',)
NAN, NAT = float('nan'), -2 ** 63


def spelled(value):
    return 'nan' if isinstance(value, float) and math.isnan(value) else value


class Aggregates(CommandTest):
    def column(self, name, kind, values, code, descr, type, tile):
        """An array of `values` in the field `value` or `v`; sparse ones are written in two fragments. Returns the field."""
        if kind != 'sparse':
            npy(self.path('column.npy'), values, code, descr)
            self.run_tegula('create', name, 'column.npy', '--format', kind, '--tile', min(tile, len(values)))
            return 'value'
        self.run_tegula('create', name, '--format', 'tiledb', '--sparse', '--capacity', tile, '-d', 'x:int64:0:999:10', '-a', f'v:{type}')
        cells = list(enumerate(values))
        for half in (cells[:len(cells) // 2], cells[len(cells) // 2:]):
            rows = ''.join(f'{x},{"NaT" if v == NAT else v}\n' for x, v in half)
            self.run_tegula('write', name, '-', '--as', 'csv', stdin='x,v\n' + rows)
        return 'v'

    def test_nan_wins_wherever_it_is(self):
        cases = [list(p) for p in itertools.permutations([-5.0, NAN, 3.0, 1.0])][::5] + [[NAN] * 3, [2.5, -0.0, 0.0], [0.0, -0.0]]
        for kind in KINDS:
            for n, (values, tile) in enumerate(itertools.product(cases, (2, 4))):
                with self.subTest(kind=kind, values=values, tile=tile):
                    field = self.column(f'{kind}{n}', kind, values, 'd', '<f8', 'float64', tile)
                    found = self.json('read', f'{kind}{n}', '--agg', f'lo = min({field}), hi = max({field}), s = sum({field}), n = count()')
                    lost = any(map(math.isnan, values))
                    lo, hi, total = (NAN, NAN, NAN) if lost else (min(values) + 0.0, max(values) + 0.0, sum(values))
                    self.assertEqual(found['fields'], {'lo': [spelled(lo)], 'hi': [spelled(hi)], 's': [spelled(total)], 'n': [len(values)]})
                    self.assertNotIn('-0.0', json.dumps(found))
                    numbers = [v for v in values if v == v]
                    found = self.json('read', f'{kind}{n}', '--where', f'{field} == {field}', '--agg', f'lo = min({field}), n = count()')
                    self.assertEqual(found['fields'], {'lo': [min(numbers) + 0.0 if numbers else None], 'n': [len(numbers)]})

    def test_count_counts_what_matches_and_nothing_is_null(self):
        for kind in KINDS:
            with self.subTest(kind):
                field = self.column(kind, kind, list(range(100)), 'i', '<i4', 'int32', 7)
                self.assertEqual(self.json('read', kind, '--where', f'{field} > 50', '--agg', f'count(), s = sum({field})')['fields'],
                                 {'count()': [49], 's': [sum(range(51, 100))]})
                nothing = ['read', kind, '--where', f'{field} > 500', '--agg',
                           f'n = count(), s = sum({field}), lo = min({field}), hi = max({field}), m = mean({field}), d = std({field})']
                self.assertEqual(self.json(*nothing)['fields'], {'n': [0], 's': [0], 'lo': [None], 'hi': [None], 'm': [None], 'd': [None]})
                self.assertEqual(self.out(*nothing, '--csv').splitlines()[1], '0,0,,,,')

    def test_nat_is_nat(self):
        for kind in KINDS:
            with self.subTest(kind):
                field = self.column(kind, kind, [3, NAT, -2, 5], 'q', '<M8[ns]', 'datetime64[ns]', 2)
                read = self.json('read', kind)['fields']
                self.assertEqual(read['v' if kind == 'sparse' else ''], [3, 'NaT', -2, 5])
                self.assertIn('NaT', self.out('read', kind, '--csv'))
                self.assertNotIn('1677', self.out('read', kind, '--csv') + self.out('read', kind) + self.out('stats', kind))
                both = f'lo = min({field}), hi = max({field})'
                self.assertEqual(self.json('read', kind, '--agg', both)['fields'], {'lo': ['NaT'], 'hi': ['NaT']})
                part = [] if kind == 'sparse' else ['--select', '[2:]']
                if part:
                    self.assertEqual(self.json('read', kind, '--agg', both, *part)['fields'], {'lo': [-2], 'hi': [5]})

    def test_durations_with_nat_have_no_sum(self):
        for kind in DENSE:
            with self.subTest(kind):
                self.column(kind, kind, [3, NAT, -2, 5], 'q', '<m8[s]', 'timedelta64[s]', 2)
                self.assertEqual(self.json('read', kind, '--agg', 's = sum(value), m = mean(value)')['fields'], {'s': ['NaT'], 'm': ['nan']})
                self.assertEqual(self.json('read', kind, '--agg', 's = sum(value)', '--select', '[2:]')['fields'], {'s': [3]})

    def test_booleans_are_booleans(self):
        for kind in KINDS:
            with self.subTest(kind):
                field = self.column(kind, kind, [1, 0, 1], 'B', '|b1', 'bool', 2)
                self.assertEqual(self.out('read', kind, '--json').split('[')[-1], 'true,false,true]}}\n')
                self.assertIn('true', self.out('read', kind, '--csv'))
                self.assertEqual(self.json('read', kind, '--agg', f'min({field}), s = sum({field})')['fields'], {f'min({field})': [False], 's': [2]})

    def table(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '-d', 'x:int64:0:9:4', '-a', 'v:int32', '-a', 's:utf8:var')
        self.run_tegula('write', 't', '-', '--as', 'json', '--select', '[0:6]', stdin=json.dumps({'v': [5, -1, 7, 2, 9, 0], 's': list('abcdef')}))

    def test_rows_of_dense_tables(self):
        self.table()
        self.assertEqual(self.json('read', 't', '--where', 'v > 4'), {'shape': None, 'fields': {'v': [5, 7, 9], 's': ['a', 'c', 'e']}})
        self.assertEqual(self.json('read', 't', '--where', 'v < 4 and x > 0', '--fields', 'x,s')['fields'], {'x': [1, 3, 5], 's': ['b', 'd', 'f']})
        # Rows nobody wrote hold the fill value and match nothing.
        self.assertEqual(self.json('read', 't', '--where', 'v == 0')['fields']['s'], ['f'])
        self.assertEqual(self.json('read', 't', '--where', 'v > 4', '--limit', '2', '--fields', 's')['fields'], {'s': ['a', 'c']})
        self.assertEqual(self.json('read', 't', '--where', 'v > 400')['fields'], {'v': [], 's': []})
        self.assertEqual(self.json('read', 't', '--where', 'v > 4', '--select', '[::-1]')['fields']['v'], [9, 7, 5])
        self.assertEqual(self.out('read', 't', '--where', 'v > 6'), 'x  v  s\n2  7  c\n4  9  e\n')
        self.assertEqual(self.json('read', 't', '--agg', 'count(), min(v)')['fields'], {'count()': [6], 'min(v)': [-1]})

    def test_as_libtiledb(self):
        self.table()
        fill = 0
        self.assertEqual(self.json('read', 't', '--where', 'v > 4', '--fields', 'v', '--as-libtiledb'),
                         {'shape': [10], 'fields': {'v': [5, fill, 7, fill, 9] + [fill] * 5}})
        self.assertEqual(self.json('read', 't', '--where', 'v > 400', '--agg', 'n = count(), lo = min(v)', '--as-libtiledb')['fields'],
                         {'n': [10], 'lo': [0]})
        query = {'where': 'v > 400', 'aggregates': {'n': {'op': 'count'}}, 'as_libtiledb': True}
        self.assertEqual(self.json('read', 't', '--query', '-', stdin=json.dumps(query))['fields'], {'n': [10]})
        self.grid('z')
        self.fails(2, 'for TileDB arrays', 'read', 'z', '--agg', 'count()', '--as-libtiledb')

    def test_attributes_added_later_have_no_values_before(self):
        for sparse in (False, True):
            name = f'evolved{sparse}'
            with self.subTest(name):
                self.run_tegula('create', name, '--format', 'tiledb', *(['--sparse'] if sparse else []), '-d', 'x:int64:0:9:5', '-a', 'v:int32', '--at', '1')
                write = lambda cells, last, at: self.run_tegula(
                    'write', name, '-', '--as', 'json', '--at', at, *([] if sparse else ['--select', f'[{cells["x"][0]}:{last + 1}]']),
                    stdin=json.dumps({k: c for k, c in cells.items() if sparse or k != 'x'}))
                write({'x': [0, 1, 2, 3], 'v': [1, 2, 3, 4]}, 3, 2)
                self.run_tegula('evolve', name, '--add', 'w:int32', '--fill', '-5', '--at', '3')
                every = 'n = count(), s = sum(w), lo = min(w), m = mean(w), k = null_count(w)'
                self.assertEqual(self.json('read', name, '--agg', every)['fields'], {'n': [4], 's': [0], 'lo': [None], 'm': [None], 'k': [0]})
                write({'x': [3, 4, 5], 'v': [1, 1, 1], 'w': [10, 20, 60]}, 5, 4)
                self.assertEqual(self.json('read', name, '--agg', every)['fields'], {'n': [6], 's': [90], 'lo': [10], 'm': [30.0], 'k': [0]})

    def test_null_dates_of_arrow_files(self):
        self.run_tegula('create', 'a', '--format', 'tiledb', '--sparse', '-d', 'x:int64:0:9:5', '-a', 'd:datetime64[ms]:nullable')
        self.run_tegula('write', 'a', '-', '--as', 'json', stdin='{"x": [1, 2], "d": [7, null]}')
        self.run_tegula('read', 'a', '--arrow', 'a.arrow')
        for kind, empty in (('tiledb', None), ('bcolz', 'NaT')):
            with self.subTest(kind):
                self.run_tegula('create', kind, 'a.arrow', '--format', kind, *(['--table'] if kind == 'bcolz' else []))
                self.assertEqual(self.json('read', kind, '--fields', 'd')['fields']['d'], [7, empty])


if __name__ == '__main__':
    main()
