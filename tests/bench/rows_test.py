"""Ratios, verdicts and comparisons of the benchmarks, from figures made up here."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../bench'))
from peers import report, rows  # noqa: E402
from peers.workload import Workload  # noqa: E402


def row(tegula, peers, differ=False, **more):
    sides = {name: {'label': name + ' 1', 'values': list(values)} for name, values in dict(peers, tegula=tegula).items() if values}
    sides.setdefault('tegula', {'error': 'broken'})
    return rows.make('group', Workload(**{'name': 'row', 'sides': {}, **more}), sides, differ)


class Rows(unittest.TestCase):
    def test_ratio_is_of_the_best_and_of_the_fastest_peer(self):
        made = row([2, 1, 4], {'a': [9, 8], 'b': [30, 3]})
        self.assertEqual((made['peer'], made['ratio']), ('b', 3))
        self.assertEqual(made['sides']['tegula']['median'], 2)

    def test_limit_is_a_peer_only_where_there_is_no_other(self):
        self.assertEqual(row([1], {'a': [4], 'memcpy': [2]}, limits=['memcpy'])['peer'], 'a')
        self.assertEqual(row([1], {'memcpy': [2]}, limits=['memcpy'])['peer'], 'memcpy')

    def test_reached(self):
        for expected, made in [
                (None, row([1], {'a': [4]})),
                (True, row([1], {'a': [4]}, reach=4)),
                (False, row([1], {'a': [3.9]}, reach=4)),
                (False, row([1], {'a': [9]}, reach=4, differ=True)),
                (False, row([1], {'a': [9]}, differ=True)),
                (False, row([], {'a': [9]}, reach=4)),
                (False, row([1], {}, keep=0.7))]:
            self.assertIs(rows.reached(made), expected)

    def test_growth_is_per_amount(self):
        small, large = row([1], {'a': [2]}, amount=10), row([5], {'a': [2]}, name='large', amount=40, reference='row', keep=0.7)
        rows.add_growth(large, [small])
        self.assertEqual(large['growth'], {'tegula': 0.8, 'a': 4})
        self.assertTrue(rows.reached(large))

    def test_compare(self):
        for expected, was, now in [
                (False, row([1], {'a': [4]}), row([2], {'a': [8]})),      # the machine was slower, not tegula
                (True, row([1], {'a': [4]}), row([2], {'a': [4]})),
                (True, row([1], {}), row([1.3], {})),
                (False, row([1], {}), row([1.1], {})),
                (True, row([1], {'a': [4]}), row([1], {'a': [4]}, differ=True)),
                (True, row([1], {'a': [4]}), row([], {'a': [4]}))]:
            lines, worse = report.comparison({'rows': [was]}, {'rows': [now]}, 0.15)
            self.assertEqual((len(lines), worse, lines[0].startswith('WORSE')), (1, expected, expected))

    def test_table_shows_what_went_wrong(self):
        text = report.table([row([1e-3], {'a': [2e-3]}, reach=4), row([], {'a': [1]}, name='other')])
        self.assertIn('1 ms', text)
        self.assertIn('2x', text)
        self.assertIn('tegula: broken', text)


if __name__ == '__main__':
    unittest.main()
