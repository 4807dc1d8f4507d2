"""./tegula-bench: tegula, its peers and the machine's limits on the same data in one run.

  ./tegula-bench --quick                      everything on small data, a few minutes
  ./tegula-bench                              the sizes the ratios are stated for
  ./tegula-bench --group zarr --only windows  some rows
  ./tegula-bench --baseline DIR               this build against the package of another build, in one run
  ./tegula-bench --compare A.json B.json      two earlier runs; exits with 1 when a row became worse
"""
import argparse
import contextlib
import os
import platform
import sys
from fractions import Fraction

from . import bucket, environments, groups, report
from .harness import Bench
from .rows import add_growth
from .workload import Sizes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, 'build')
QUICK = Fraction(1, 16)


def arguments():
    parser = argparse.ArgumentParser(prog='tegula-bench', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--group', action='append', choices=list(groups.GROUPS), help='may be given several times; all by default')
    parser.add_argument('--only', action='append', default=[], help='only rows whose name contains this text')
    parser.add_argument('--scale', type=Fraction, default=Fraction(1), help='of the amount of data, such as 1/4')
    parser.add_argument('--quick', action='store_true', help='scale 1/16, 3 rounds')
    parser.add_argument('--repeat', type=int, help='rounds, of which the best counts (5)')
    parser.add_argument('--patience', type=float, default=60, help='seconds of rounds for one row; two are made in any case')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--json', help='writes the results')
    parser.add_argument('--plots', default=os.path.join(BUILD, 'bench-plots'), help='folder for one PNG per group')
    parser.add_argument('--package', help="folder that holds the built package 'tegula', instead of building it")
    parser.add_argument('--command', help='the built tegula command, instead of building it')
    parser.add_argument('--baseline', help='folder that holds the package of another build: it takes the place of the peers')
    parser.add_argument('--compare', nargs=2, metavar='JSON')
    parser.add_argument('--tolerance', type=float, default=0.15, help='how much worse a row may be before it counts as worse')
    parser.add_argument('--data', action='store_true', help='only makes the data sets')
    parser.add_argument('--list', action='store_true', help='only names the rows')
    return parser.parse_args()


def cpu_model():
    with open('/proc/cpuinfo') as file:
        return next((line.split(':', 1)[1].strip() for line in file if line.startswith('model name')), platform.processor())


def machine(options, libraries):
    return {'cpu': cpu_model(), 'cores': os.cpu_count(), 'kernel': platform.release(), 'python': platform.python_version(),
            'load before': [round(v, 1) for v in os.getloadavg()], 'threads': options.threads, 'scale': str(options.scale),
            'libraries': {name: library.label for name, library in libraries.items()}}


def prepare(options):
    """Everything that is compared, and where it is."""
    libraries, tiledb_wheel = environments.peers(BUILD)
    python = libraries['numpy'].python
    if options.package:
        package, wheel = options.package, environments.zip_package(options.package, os.path.join(BUILD, 'bench-package.zip'))
    else:
        package, wheel = environments.build_package(ROOT, BUILD, python)
    libraries['tegula'] = environments.tegula('tegula', package, python)
    if options.baseline:
        libraries['baseline'] = environments.tegula('tegula (baseline)', options.baseline, python)
    command = options.command
    if not command:
        environments.run([os.path.join(ROOT, 'scripts/build'), 'release', 'tegula_command'])
        command = os.path.join(BUILD, 'release', 'tegula')
    return libraries, {'command': os.path.abspath(command), 'tegula wheel': wheel, 'tiledb wheel': tiledb_wheel}


def chosen(options, sizes):
    """Group by group, the rows to run: those asked for and those they are compared with."""
    for group in options.group or groups.GROUPS:
        rows = groups.GROUPS[group].workloads(sizes)
        names = {r.name for r in rows if not options.only or any(text in r.name for text in options.only)}
        names |= {r.reference for r in rows if r.name in names}
        if options.baseline:
            for row in rows:
                row.sides = {'tegula': row.sides['tegula'], 'baseline': row.sides['tegula']}
                row.reach, row.limits = 1 - options.tolerance, ()
        yield group, [r for r in rows if r.name in names]


def main():
    options = arguments()
    if options.compare:
        lines, worse = report.comparison(*map(report.load, options.compare), options.tolerance)
        print('\n'.join(lines))
        return 1 if worse else 0
    if options.quick:
        options.scale, options.repeat = QUICK, options.repeat or 3
    sizes = Sizes.of(options.scale)
    if options.list:
        for group, rows in chosen(options, sizes):
            print('\n'.join('%s: %s' % (group, r.name) for r in rows))
        return 0
    libraries, settings = prepare(options)
    bench = Bench(libraries, os.path.join(BUILD, 'bench-data'), environments.nosync(os.path.join(ROOT, 'bench/peers/nosync.c'), BUILD),
                  sizes, options.threads, settings, repeat=options.repeat or 5, patience=options.patience)
    if options.data:
        for _, rows in chosen(options, sizes):
            for needed in [needed for row in rows for needed in row.needs]:
                bench.make(*needed)
        return 0
    chosen_groups = options.group or list(groups.GROUPS)
    with bucket.running(BUILD) if 'remote' in chosen_groups else contextlib.nullcontext() as addresses:
        if addresses:
            os.environ.update(bucket.variables())
            settings['bucket'] = addresses
        return run(options, bench, sizes, libraries)


def run(options, bench, sizes, libraries):
    about, results = machine(options, libraries), []
    print('%(cpu)s, %(cores)d cores, %(threads)d threads, scale %(scale)s, load %(load before)s' % about, flush=True)
    from . import plot
    os.makedirs(options.plots, exist_ok=True)
    for group, rows in chosen(options, sizes):
        done = []
        for workload in rows:
            environments.say('%s: %s' % (group, workload.name))
            row = bench.measure(group, workload)
            add_growth(row, done)
            done.append(row)
        results += done
        about['load after'] = [round(v, 1) for v in os.getloadavg()]
        if options.json:
            report.save(options.json, about, results)
        print('\n## %s\n\n%s' % (group, report.table(done)), flush=True)
        picture = os.path.join(options.plots, group + '.png')
        if plot.draw(group, done, picture):
            print('\n%s' % os.path.relpath(picture))
    print('\n%s' % report.summary(results))
    return 0 if all(r['agree'] for r in results) else 1


if __name__ == '__main__':
    sys.exit(main())
