"""Runs workloads: a fresh process per library and workload, rounds that take turns, results that must agree."""
import json
import os
import shutil
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass

from . import digest, groups
from .environments import say

PACKAGE_PARENT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Failed(Exception):
    pass


class Process:
    """A worker. One request at a time."""

    def __init__(self, library, setup, variables):
        path = os.pathsep.join(filter(None, [PACKAGE_PARENT, library.variables.get('PYTHONPATH')]))
        env = {**os.environ, **library.variables, **variables, 'PYTHONPATH': path, 'PYTHONDONTWRITEBYTECODE': '1', 'PYTHONNOUSERSITE': '1'}
        self.process = subprocess.Popen([library.python, '-m', 'peers.worker', json.dumps(setup)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)

    def ask(self, do, **request):
        try:
            self.process.stdin.write(json.dumps({'do': do, **request}) + '\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ''
        if not line:
            raise Failed('the process ended with code %s during %s' % (self.process.wait(), do))
        answer = json.loads(line)
        if 'error' in answer:
            raise Failed(answer['error'])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Bench:
    libraries: dict
    folder: str        # data sets and scratch
    nosync: str
    sizes: object
    threads: int
    settings: dict
    repeat: int = 5
    patience: float = 60   # seconds of rounds per workload, once two rounds are done
    serial: int = 0

    def start(self, name, threads=None, synced=True):
        self.serial += 1
        scratch = os.path.join(self.folder, 'scratch', '%d-%d' % (os.getpid(), self.serial))
        setup = {'data': self.folder, 'scratch': scratch, 'threads': threads or self.threads, 'sizes': asdict(self.sizes),
                 'settings': self.settings}
        return Process(self.libraries[name], setup, {} if synced else {'LD_PRELOAD': self.nosync})

    def make(self, name, *args):
        """Makes a data set, and first what it is made of, unless it is there."""
        path = os.path.join(self.folder, '-'.join([name] + [str(a) for a in args]))
        if os.path.exists(path):
            return
        dataset = groups.DATASETS[name]
        for needed in dataset.needs(*args):
            self.make(*needed)
        say('  making %s' % os.path.basename(path))
        shutil.rmtree(path + '.part', ignore_errors=True)
        process = self.start(dataset.library, synced=dataset.synced)
        try:
            process.ask('make', dataset=name, args=args, path=path + '.part')
        finally:
            process.close()
        os.rename(path + '.part', path)

    def measure(self, group, workload):
        """One row of the results."""
        for needed in workload.needs:
            self.make(*needed)
        sides, processes = {}, {}
        try:
            for name in workload.sides:
                if name not in self.libraries:
                    sides[name] = {'error': 'not installed'}
                    continue
                processes[name] = self.start(name, workload.threads, workload.synced)
                sides[name] = {'label': self.libraries[name].label, 'values': [], 'read': None, 'peak': 0}

            def attempt(name, *request, **more):
                try:
                    return processes[name].ask(*request, **more)
                except Failed as e:
                    sides[name]['error'] = str(e)
                    processes.pop(name).close()

            def each(*request, **more):
                return {name: answer for name in list(processes) if (answer := attempt(name, *request, **more)) is not None}

            for name in list(processes):
                attempt(name, 'prepare', group=group, workload=workload.name, library=self.side_of(name))
            each('run')  # warms up
            started = time.monotonic()
            for done in range(self.repeat):
                if done >= 2 and time.monotonic() - started > self.patience:
                    break
                for name, answer in each('run').items():
                    sides[name]['values'].append(answer['value'])
                    sides[name]['read'] = answer['read']
                    sides[name]['peak'] = max(sides[name]['peak'], answer['peak'])
            found = each('digest')
            if workload.judge:
                found = {name: self.judge(group, workload, answer['path']) for name, answer in found.items()}
        finally:
            for process in processes.values():
                process.close()
        return self.row(group, workload, sides, {name: answer['digest'] for name, answer in found.items()})

    def side_of(self, name):
        return 'tegula' if name == 'baseline' else name

    def judge(self, group, workload, path):
        process = self.start(workload.judge[0])
        try:
            return process.ask('judge', group=group, workload=workload.name, path=path)
        except Failed as e:
            return {'digest': 'unreadable: %s' % e}
        finally:
            process.close()

    def row(self, group, workload, sides, digests):
        for side in sides.values():
            if side.get('values'):
                side['best'], side['median'] = min(side['values']), statistics.median(side['values'])
        ours = digests.get('tegula')
        digests = {name: d for name, d in digests.items() if d is not None}
        differ = [name for name, d in digests.items() if ours is not None and not digest.same(d, ours)]
        for name in differ:
            sides[name]['differs'] = '%s, tegula %s' % (digests[name], ours)
        row = {'group': group, 'name': workload.name, 'reach': workload.reach, 'keep': workload.keep, 'reference': workload.reference,
               'amount': workload.amount, 'unit': workload.unit, 'sides': sides, 'agree': not differ}
        peers = {name: s['best'] for name, s in sides.items() if name != 'tegula' and 'best' in s}
        rivals = {n: b for n, b in peers.items() if n not in workload.limits} or peers
        if rivals:
            row['peer'] = min(rivals, key=rivals.get)
        if rivals and 'best' in sides['tegula']:
            row['ratio'] = rivals[row['peer']] / sides['tegula']['best']
        return row


def add_growth(row, rows):
    """The reference's time per amount over this row's, for each side."""
    reference = next((r for r in rows if r['group'] == row['group'] and r['name'] == row['reference']), None)
    if reference:
        row['growth'] = {name: (reference['sides'][name]['best'] / reference['amount']) / (side['best'] / row['amount'])
                         for name, side in row['sides'].items() if 'best' in side and 'best' in reference['sides'].get(name, {})}


def reached(row):
    """True, False, or None where nothing is to be reached or it could not be measured."""
    if not row['agree']:
        return False
    verdicts = [row[key] >= row[goal] for key, goal in (('ratio', 'reach'),) if row.get(goal) is not None and key in row]
    if row.get('keep') is not None and 'tegula' in row.get('growth', {}):
        verdicts.append(row['growth']['tegula'] >= row['keep'])
    return all(verdicts) if verdicts else None
