"""Runs workloads: a fresh process per library and workload, rounds that take turns, results that must agree."""
import json
import os
import shutil
import subprocess
import time
from dataclasses import asdict, dataclass

from . import digest, groups, rows
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
    patience: float = 60   # seconds of rounds for one workload, once there are two
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
        differ = self.differ(sides, {name: answer['digest'] for name, answer in found.items()})
        return rows.make(group, workload, sides, differ)

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

    def differ(self, sides, digests):
        """Whether a result is not tegula's; says so at its side."""
        ours = digests.get('tegula')
        others = {name: d for name, d in digests.items() if ours is not None and d is not None and not digest.same(d, ours)}
        for name, found in others.items():
            sides[name]['differs'] = '%s, tegula %s' % (found, ours)
        return bool(others)
