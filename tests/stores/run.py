"""Arrays on real servers: the contract of stores, arrays of the corpus, faults on the way, writers that die, several writers.

    run.py BUILD SERVERS CORPUS [--all PEERS]

BUILD has the programs, SERVERS is where the servers are installed, CORPUS is unpacked. SeaweedFS is strict, rclone is sloppy,
nginx serves files. With --all: the whole corpus through S3, every fault, Azurite, and the libtiledb releases below PEERS, which
read what tegula writes there and go on with it. Prints what fails and exits with 1 then.
"""
import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import servers as s
from common import CLEAN, HERE, PROBLEMS, Tegula, make_arrays, problem, proxy
from corpus import check_corpus
from crashes import check_crashes
from faults import check_change_faults, check_read_faults
from request_counts import check_counts
from web import check_web
from writers import check_writers

# One for each kind of layout, and those that others were seen to write with.
FORMAT_VERSIONS = '3,5,12,16,20,21,22'
PEER_CASES = 'dense_int32,sparse_int32,consolidated'


def check_contract(build, servers):
    names = ':'.join(f'*Contract*/{x.name}' for x in servers)
    code = subprocess.run([str(build / 'test_store'), '--gtest_brief=1', '--gtest_filter=' + names],
                          env={**CLEAN, **s.environment_of(servers)}).returncode
    if code:
        problem('the contract of stores on ' + ', '.join(x.name for x in servers))


def check_whole_corpus(build, binaries, server, corpus):
    """Every case, against what the real libraries read."""
    remote = f':s3,provider=Other,access_key_id={s.KEY},secret_access_key={s.SECRET},endpoint="{server.endpoint}":test/whole'
    subprocess.run([s.program(binaries, 'rclone'), '--config', '/dev/null', 'copy', '--transfers', '16', '--checkers', '16', '--copy-links',
                    '--no-traverse', '--s3-no-check-bucket', str(corpus), remote], check=True, env=CLEAN)
    code = subprocess.run([sys.executable, str(HERE.parent / 'conformance/conformance.py'), str(build / 'tegula'), str(corpus), '--at',
                           's3://test/whole'], env={**CLEAN, 'AWS_ENDPOINT_URL': server.endpoint}).returncode
    if code:
        problem('the whole corpus through S3')


def check_peers(build, server, peers):
    """libtiledb releases read what tegula wrote in the bucket and write on, and tegula reads that."""
    config = {'vfs.s3.scheme': 'http', 'vfs.s3.endpoint_override': server.endpoint.split('//')[1], 'vfs.s3.use_virtual_addressing': 'false',
              'vfs.s3.aws_access_key_id': s.KEY, 'vfs.s3.aws_secret_access_key': s.SECRET, 'vfs.s3.region': 'us-east-1'}
    code = subprocess.run([sys.executable, str(HERE.parent / 'interop/tiledb_interop.py'), str(build / 'tiledb_tool'), str(peers), '--versions',
                           FORMAT_VERSIONS, '--cases', PEER_CASES, '--at', 's3://test/interop'],
                          env={**CLEAN, 'AWS_ENDPOINT_URL': server.endpoint, 'TILEDB_STORE_CONFIG': json.dumps(config)}).returncode
    if code:
        problem('libtiledb and tegula on one S3')


def check_azure(build, program, installed, folder, stack):
    server = stack.enter_context(s.azurite(s.install_azurite(installed), folder))
    check_contract(build, [server])
    tegula = Tegula(program, server.endpoint)
    for name, form in (('dense', 'tiledb'), ('zarr', 'zarr3'), ('table', 'bcolz')):
        uri = f'az://test/{name}'
        tegula.right('convert', f'{folder}/{name}', uri, '--to', form)
        tegula.right('diff', f'{folder}/{name}', uri)
        tegula.right('verify', uri)
    uri = 'az://test/sparse'
    tegula.right('create', uri, '--format', 'tiledb', '--sparse', '-d', 'x:int32:0:999:100', '-d', 'y:int32:0:99:10', '-a', 'v:int64')
    for name in ('points.csv', 'more.csv'):
        tegula.right('write', uri, f'{folder}/{name}')
    for verb in (['consolidate', uri, '--what', 'all'], ['vacuum', uri], ['verify', uri]):
        tegula.right(*verb)
        tegula.right('diff', f'{folder}/sparse', uri)
    signed = Tegula(program, server.endpoint, 'sas_token=' + s.account_signature('rl'))
    signed.environment.pop('AZURE_STORAGE_KEY')
    signed.right('diff', f'{folder}/sparse', uri)
    code, _, said = signed('write', uri, f'{folder}/third.csv')
    if code == 0 or '403' not in said or 'sig=' in said:
        problem(f'a signature that may only read: exit {code}: {said.strip()[:300]}')
    tegula.right('diff', f'{folder}/sparse', uri)
    check_writers(program, server, folder)
    through = stack.enter_context(proxy(server, f'{folder}/azurite'))
    check_change_faults(program, server, through, folder, quick=True)
    check_crashes(program, server, through, folder, ['lost'])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('build', 'installed', 'corpus'):
        parser.add_argument(name, type=lambda text: Path(text).resolve())
    parser.add_argument('--all', dest='peers', type=lambda text: Path(text).resolve())
    options = parser.parse_args()
    build, corpus, program = options.build, options.corpus, str(options.build / 'tegula')
    begun = time.monotonic()
    done = lambda what: print(f'{what}: {time.monotonic() - begun:.0f} s', flush=True)
    binaries = s.install(options.installed)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix='tegula-stores-'))
        strict = stack.enter_context(s.seaweedfs(binaries, folder))
        sloppy = stack.enter_context(s.rclone(binaries, folder))
        make_arrays(program, strict, folder)
        through = stack.enter_context(proxy(strict, folder))
        if options.peers is None:
            check_contract(build, [strict, sloppy])
            done('contract')
            check_corpus(program, strict, corpus, 40)
            check_corpus(program, sloppy, corpus, 120)
            check_web(program, folder, corpus, 80)
            done('corpus')
            check_read_faults(program, strict, through)
            done('faults of reads')
            check_change_faults(program, strict, through, folder, quick=True)
            done('faults of changes')
            check_crashes(program, strict, through, folder, ['lost'])
            done('crashes')
            check_writers(program, strict, folder)
            done('several writers')
            check_counts(program, strict, through, folder)
            done('requests')
        else:
            check_whole_corpus(build, binaries, strict, corpus)
            done('whole corpus')
            check_peers(build, strict, options.peers)
            done('libtiledb')
            check_change_faults(program, strict, through, folder, quick=False)
            done('faults of changes')
            check_crashes(program, strict, through, folder, ['reset'])
            done('crashes')
            check_azure(build, program, options.installed, folder, stack)
            done('Azurite')
    raise SystemExit(f'{len(PROBLEMS)} problems' if PROBLEMS else 0)


if __name__ == '__main__':
    main()
