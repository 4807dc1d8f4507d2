"""A process that runs one library's side of one workload: a line of JSON in, a line of JSON out. Keeps to Python 3.7."""
import gc
import json
import os
import resource
import shutil
import sys
import time
import traceback

from . import groups
from .workload import Env, Measured, Sizes


def reset_peak():
    with open('/proc/self/clear_refs', 'w') as file:
        file.write('5')


def peak_bytes(child):
    if child:
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    with open('/proc/self/status') as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith('VmHWM'))


def read_bytes():
    with open('/proc/self/io') as file:
        return int(file.readline().split()[1])


class Worker:
    def __init__(self, env, sizes):
        self.env, self.sizes = env, sizes
        self.action = self.result = None

    def make(self, dataset, args, path):
        """Makes a data set."""
        groups.DATASETS[dataset].make(self.env, path, *args)

    def prepare(self, group, workload, library):
        found = groups.find(group, workload, self.sizes)
        self.action = found.sides[library](self.env, *found.args)

    def run(self):
        self.result = None
        argument = self.action.before()
        gc.collect()
        reset_peak()
        read = read_bytes()
        start = time.perf_counter()
        result = self.action.run(argument)
        value = time.perf_counter() - start
        read = read_bytes() - read
        peak = peak_bytes(self.action.child)
        if isinstance(result, Measured):
            value, result = result.value, result.result
        self.result = result
        return {'value': value, 'read': read, 'peak': peak}

    def digest(self):
        if self.action.digest is None:
            return {'path': self.result}
        return {'digest': self.action.digest(self.result)}

    def judge(self, group, workload, path):
        return {'digest': groups.find(group, workload, self.sizes).judge[1](self.env, path)}


def main():
    setup = json.loads(sys.argv[1])
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)  # what a library prints is not an answer
    os.makedirs(setup['scratch'], exist_ok=True)
    worker = Worker(Env(setup['data'], setup['scratch'], setup['threads'], setup['settings']), Sizes(**setup['sizes']))
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = getattr(worker, request.pop('do'))(**request) or {}
            except Exception as e:  # the other side of the pipe decides what a failure means
                traceback.print_exc()
                answer = {'error': '%s: %s' % (type(e).__name__, str(e).strip()[:300])}
            answers.write(json.dumps(answer) + '\n')
            answers.flush()
    finally:
        worker.action = worker.result = None
        if not setup.get('keep_scratch'):
            shutil.rmtree(setup['scratch'], ignore_errors=True)


if __name__ == '__main__':
    main()
