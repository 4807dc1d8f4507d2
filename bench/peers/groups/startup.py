"""What starting costs before any work is done, in time and in bytes."""
import os
import subprocess
import sys

from ..workload import Action, Measured, Workload

IMPORT = 'import time\n{}\nt = time.perf_counter()\nimport {}\nprint(time.perf_counter() - t)'


def start(command):
    return Action(lambda _: subprocess.run(command, stdout=subprocess.DEVNULL, check=True).returncode, digest=lambda code: code,
                  child=True)


def tegula_command(env):
    return start([env.settings['command'], '--version'])


def tiledb_process(env):
    return start([sys.executable, '-c', 'import tiledb'])


def importing(module, first=''):
    def run(_):
        out = subprocess.run([sys.executable, '-c', IMPORT.format(first, module)], stdout=subprocess.PIPE, check=True).stdout
        return Measured(float(out))
    return lambda env: Action(run, digest=lambda _: None, child=True)


def size(path):
    return Action(lambda _: Measured(os.path.getsize(path)), digest=lambda _: None)


def workloads(sizes):
    return [
        Workload('a process that is ready: tegula --version, import tiledb', {'tegula': tegula_command, 'tiledb': tiledb_process}, reach=20),
        Workload('import', {'tegula': importing('tegula'), 'tiledb': importing('tiledb')}, reach=5),
        Workload('import, numpy imported before', {'tegula': importing('tegula', 'import numpy'),
                                                   'tiledb': importing('tiledb', 'import numpy')}),
        Workload('size of the command, of the tiledb wheel', {'tegula': lambda env: size(env.settings['command']),
                                                              'tiledb': lambda env: size(env.settings['tiledb wheel'])}, reach=5, unit='bytes'),
        Workload('size of the wheel', {'tegula': lambda env: size(env.settings['tegula wheel']),
                                       'tiledb': lambda env: size(env.settings['tiledb wheel'])}, reach=5, unit='bytes'),
    ]
