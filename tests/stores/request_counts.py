"""How many requests the command makes, and how many of them wait for one another, as a server sees it.

The log of a proxy in front of the server is the witness. Each answer is delayed, so that requests that do not wait for each other
overlap: what is left is the longest chain of requests of which each began after the one before it was answered.
"""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from common import Tegula, problem, requests_of, set_faults, upload

DELAY = 0.1    # seconds
FRAGMENTS = 60


def depth(log):
    """The length of the longest chain."""
    chain, free = 0, 0.0
    for entry in sorted(log, key=lambda entry: entry['end']):
        if entry['begin'] >= free:
            chain, free = chain + 1, entry['end']
    return chain


def npy(path, shape, values):
    head = str({'descr': '<i4', 'fortran_order': False, 'shape': tuple(shape)}).ljust(117) + '\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head.encode() + values)


def make(tegula, folder):
    """The arrays that are asked for, as local folders: name -> path."""
    npy(folder / 'ten.npy', (10,), bytes(range(40)))
    npy(folder / 'field.npy', (200, 200), b''.join((i * 7919 % 10007).to_bytes(4, 'little') for i in range(40000)))
    npy(folder / 'noise.npy', (12, 1 << 20), os.urandom(12 << 22))
    (folder / 'table.csv').write_text('a,b,c,d\n' + '\n'.join(f'{i},{i * 7 % 50},{i * 3},{i * 5}' for i in range(20000)) + '\n')
    made = {}

    def create(name, *arguments):
        made[name] = folder / name
        tegula.right('create', folder / name, *arguments, '--no-sync')

    for count in (1, 10, FRAGMENTS):
        create(f'dense{count}', '--format', 'tiledb', '-d', 'x:int64:0:999:10', '-a', 'v:int32')
        for i in range(count):
            tegula.right('write', folder / f'dense{count}', folder / 'ten.npy', '--select', f'[{10 * i}:{10 * i + 10}]', '--no-sync')
    create('sparse', '--format', 'tiledb', '--sparse', '-d', 'x:int64:0:9999:10', '-a', 'v:int32')
    for i in range(FRAGMENTS):
        (folder / 'cells.csv').write_text('x,v\n' + '\n'.join(f'{10 * i + k},{k}' for k in range(10)) + '\n')
        tegula.right('write', folder / 'sparse', folder / 'cells.csv', '--no-sync')
    for form in ('zarr2', 'zarr3'):
        create(form, folder / 'field.npy', '--format', form, '--tile', '25,25')
    # A schema says more than the options do.
    schema = json.loads(tegula.right('info', folder / 'zarr3', '--json'))
    for dimension in schema['dimensions']:
        dimension['tile'] = 100
    schema['attributes'][0]['filters'] = [{'name': 'sharding', 'chunk_shape': '[25, 25]'}]
    (folder / 'shards.json').write_text(json.dumps(schema))
    create('shards', folder / 'field.npy', '--schema', folder / 'shards.json')
    create('noise', folder / 'noise.npy', '--format', 'zarr3', '--tile', '1,1048576', '--filters', 'none')
    create('table', folder / 'table.csv', '--format', 'bcolz', '--table', '--tile', '2000', *(x for c in 'abcd' for x in ('-a', f'{c}:int32')))
    return made


def check_counts(program, server, proxy, folder):
    """What operations ask for is what they are allowed to."""
    direct, through = Tegula(program, server.endpoint), Tegula(program, proxy.endpoint)

    def reset(seconds):
        """Empties the log, and sets the delay."""
        set_faults(proxy.endpoint, {'kind': 'delay', 'seconds': seconds, 'mode': 'always'})
    folder = Path(folder) / 'counted'
    folder.mkdir()
    made = make(direct, folder)
    prefix = f'counted/{os.getpid()}'
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for name, taken in zip(made, pool.map(lambda item: upload(server, item[1], f'{prefix}/{item[0]}'), made.items())):
            if not taken:
                problem(f'{name} cannot be uploaded')
    uri = lambda name: f's3://test/{prefix}/{name}'

    def counted(what, most, deep, *arguments):
        reset(DELAY)
        through.right(*arguments)
        log = requests_of(proxy.endpoint)
        found, chain = len(log), depth(log)
        print(f'{what}: {found} requests (at most {most}), {chain} after one another (at most {deep})', flush=True)
        if found > most or chain > deep:
            start = log[0]['begin']
            problem(f'{what}: {found} requests, at most {most}; {chain} after one another, at most {deep}:\n' + '\n'.join(
                f'{e["begin"] - start:.3f} {e["end"] - start:.3f} {e["method"]} {e["path"]} {e["range"]}' for e in log[:30]))

    n = FRAGMENTS
    for count in (1, 10, n):
        counted(f'info, {count} fragments', 4 + count, 4, 'info', uri(f'dense{count}'))
        counted(f'first cell, {count} fragments', 4 + count, 4, 'read', uri(f'dense{count}'), '--select', '[0]')
    counted('all cells of a dense array', 4 + 2 * n, 4, 'read', uri(f'dense{n}'))
    counted('box of a sparse array', 4 + 3 * n, 6, 'read', uri('sparse'), '--range', 'x=5:594')
    counted('verify a TileDB array', 8 + 2 * n, 20, 'verify', uri(f'dense{n}'))
    for form in ('zarr2', 'zarr3'):
        counted(f'{form}, one chunk', 3, 3, 'read', uri(form), '--select', '[0, 0]')
        counted(f'{form}, one chunk, format given', 5, 3, 'read', uri(form), '--select', '[0, 0]', '--format', form)
        counted(f'{form}, all chunks', 2 + 64, 3, 'read', uri(form))
        counted(f'{form}, all chunks, one thread', 2 + 64, 3, 'read', uri(form), '--threads', '1')
        counted(f'{form}, info', 4, 4, 'info', uri(form))
        # With the consolidated metadata of the four folders around it, in batches.
        counted(f'{form}, verify', 12 + 64, 10, 'verify', uri(form))
    counted('a chunk of a shard', 4, 4, 'read', uri('shards'), '--select', '[0, 0]')
    counted('bcolz table', 10 + 40, 4, 'read', uri('table'))
    counted('bcolz table, one thread', 10 + 40, 4, 'read', uri('table'), '--threads', '1')
    counted('bcolz table, info', 14, 5, 'info', uri('table'))
    # A conversion looks first what kind of tree the source is, whether the target may be replaced, and at the groups around it.
    counted('convert zarr to zarr', 34 + 2 * 64, 30, 'convert', uri('zarr3'), uri('converted2'), '--to', 'zarr2')
    counted('convert TileDB to zarr', 30 + 2 * n + 100, 27, 'convert', uri(f'dense{n}'), uri('converted3'), '--to', 'zarr3', '--lossy')
    # The library makes three; the command looks first what is there, to remove nothing else when it fails.
    counted('create', 4, 4, 'create', uri('created'), '--format', 'tiledb', '-d', 'x:int64:0:99:10', '-a', 'v:int32')
    counted('write a fragment of 3 files', 3 + 3, 5, 'write', uri('dense10'), folder / 'ten.npy', '--select', '[0:10]')
    counted('consolidate, dense', 12 + 2 * n, 11, 'consolidate', uri(f'dense{n}'))
    counted('consolidate, sparse', 12 + 4 * n, 12, 'consolidate', uri('sparse'))
    for name in (f'dense{n}', 'sparse'):
        counted(f'vacuum, {name}', 9, 9, 'vacuum', uri(name), '--what', 'fragments')
        direct.right('verify', uri(name))
    check_memory(through, reset, uri('noise'))
    check_interrupt(through, reset, uri('zarr3'))


PEAK = 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'


def check_memory(through, reset, uri):
    """What is in flight counts: 48 MiB in 12 chunks would fit 64 requests."""
    reset(0)
    peaks = {}
    for memory in ('16MB', '1GB'):
        command = [through.program, *through.options, 'read', uri, '--agg', 'sum(value)', '--memory', memory]
        # By a small process of its own: a child counts the memory of its parent until it is another program.
        done = subprocess.run([sys.executable, '-c', PEAK, *command], env=through.environment, capture_output=True, text=True)
        peaks[memory] = int(done.stdout.split()[-1]) / 1024 if done.returncode == 0 else 0
        if done.returncode:
            problem(f'read with --memory {memory}: {done.stderr}')
    print(f'peak memory with a budget of 16 MB: {peaks["16MB"]:.0f} MiB, of 1 GB: {peaks["1GB"]:.0f} MiB', flush=True)
    if peaks['16MB'] > 80:
        problem(f'a budget of 16 MB became {peaks["16MB"]:.0f} MiB')


def check_interrupt(through, reset, uri):
    """Ctrl-C ends the command while all of its requests wait."""
    reset(120)
    process = subprocess.Popen([through.program, *through.options, 'read', uri], env=through.environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=1.5)
        problem('a read whose requests are not answered ended by itself')
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
            print('Ctrl-C ends waiting requests', flush=True)
        except subprocess.TimeoutExpired:
            process.kill()
            problem('Ctrl-C does not end waiting requests')
