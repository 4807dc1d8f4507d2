"""Tables against bcolz-zipline (with numexpr): a row number, a float64 and a small int32. bcolz does not sync, so nobody does."""
import shutil

import numpy as np

from .. import data, digest
from ..workload import Action, Dataset, Workload

CONDITION = '(f > 2) & (k == 7)'
PIECES = 10


def settle_bcolz(env):
    import bcolz
    import numexpr
    bcolz.set_nthreads(env.threads)
    numexpr.set_num_threads(env.threads)
    return bcolz


def make_table(env, path, count):
    columns = data.rows(env, count)
    table = settle_bcolz(env).ctable(columns=list(columns.values()), names=list(columns), rootdir=path, mode='w')
    table.flush()


DATASETS = {'table': Dataset('bcolz', make_table, needs=lambda count: [('rows', count)])}


def open_bcolz(env, count):
    return settle_bcolz(env).open(env.data('table', count), mode='r')


def open_tegula(env, count):
    import tegula
    return tegula.open(env.data('table', count), threads=env.threads)


def bcolz_column(env, count):
    return Action(lambda _: open_bcolz(env, count)['f'][:], digest=digest.exact)


def tegula_column(env, count):
    return Action(lambda _: open_tegula(env, count)['f'][:], digest=digest.exact)


def bcolz_where(env, count):
    table = open_bcolz(env, count)
    return Action(lambda _: table.fetchwhere(CONDITION, outcols=['f'], out_flavor='numpy')['f'], digest=digest.exact)


def tegula_where(env, count):
    table = open_tegula(env, count)
    return Action(lambda _: table.where(CONDITION)['f'], digest=digest.exact)


def bcolz_sum(env, count):
    table = open_bcolz(env, count)
    return Action(lambda _: [table['f'].sum()], digest=digest.numbers)


def tegula_sum(env, count):
    table = open_tegula(env, count)
    return Action(lambda _: [table['f'].sum()], digest=digest.numbers)


def pieces(env, count):
    """A tenth of the rows, in ten pieces, to append to a table a hundredth as long."""
    columns = data.rows(env, count)
    step = count // 10 // PIECES
    return [{name: values[p * step:(p + 1) * step] for name, values in columns.items()} for p in range(PIECES)]


def copy_table(env, count):
    path = env.fresh()
    shutil.copytree(env.data('table', count // 100), path)
    return path


def bcolz_append(env, count):
    bcolz, new = settle_bcolz(env), pieces(env, count)

    def run(path):
        table = bcolz.open(path, mode='a')
        for piece in new:
            table.append(list(piece.values()))
        table.flush()
        return path
    return Action(run, lambda: copy_table(env, count))


def tegula_append(env, count):
    import tegula
    new = pieces(env, count)

    def run(path):
        with tegula.open(path, 'w', threads=env.threads) as table:
            for piece in new:
                table.append(piece)
        return path
    return Action(run, lambda: copy_table(env, count))


def judge_table(env, path):
    table = settle_bcolz(env).open(path, mode='r')
    return [digest.exact(table[name][:]) for name in data.TABLE_COLUMNS]


def fields(found):
    return [digest.exact(np.asarray(found[name])) for name in data.TABLE_COLUMNS]


def bcolz_rows(env, count):
    table, numbers = open_bcolz(env, count), data.row_numbers(count)
    return Action(lambda _: table[numbers], digest=fields)


def tegula_rows(env, count):
    table, numbers = open_tegula(env, count), data.row_numbers(count)
    return Action(lambda _: table[numbers], digest=fields)


READ_COLUMN = {'tegula': tegula_column, 'bcolz': bcolz_column}


def workloads(sizes):
    count = sizes.rows
    table = ('table', count)

    def row(name, sides, reach):
        return Workload(name, sides, args=(count,), needs=[table], reach=reach)
    return [
        row('full column', READ_COLUMN, 1.3),
        row('where ' + CONDITION, {'tegula': tegula_where, 'bcolz': bcolz_where}, 4),
        row('sum of a column', {'tegula': tegula_sum, 'bcolz': bcolz_sum}, 2),
        Workload('append', {'tegula': tegula_append, 'bcolz': bcolz_append}, args=(count,), reach=1.3, synced=False,
                 needs=[('rows', count), ('table', count // 100)], judge=('bcolz', judge_table)),
        row('1,000 random rows', {'tegula': tegula_rows, 'bcolz': bcolz_rows}, 10),
    ]
