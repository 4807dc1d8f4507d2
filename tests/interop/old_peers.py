"""zarr 0.4.0 and 1.1.0 and bcolz 1.2.1, which build under Python 3.7 only, and from source. Where there is none they are skipped.

    old_peers.py CACHE    prints "package release python folder" for each that could be had; the folder goes into PYTHONPATH
"""
import glob
import os
import re
import shutil
import subprocess
import sys

RELEASES = [("bcolz", "1.2.1"), ("zarr", "0.4.0"), ("zarr", "1.1.0")]
TOOLS = ["numpy==1.16.6", "Cython==0.29.37", "setuptools==47.1.0", "setuptools_scm==3.5.0", "wheel<0.43", "fasteners<0.21"]
# Without the last two the snappy inside bcolz decodes some chunks wrongly.
CFLAGS = "-O1 -g0 -w -fno-strict-aliasing -fno-tree-vectorize"


def run(args, cwd=None, env=None):
    done = subprocess.run(args, cwd=cwd, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise OSError((done.stdout.strip().splitlines() or ["no message"])[-1])
    return done.stdout


def python37():
    roots = [os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv"), "/opt/pyenv"]
    for path in [os.environ.get("TEGULA_PYTHON37"), shutil.which("python3.7"), *(p for r in roots if r for p in sorted(glob.glob(r + "/versions/3.7*/bin/python")))]:
        try:
            if path and run([path, "-c", "import sys; print(*sys.version_info[:2])"]).strip() == "3 7":
                return path
        except OSError:
            pass


def once(folder, make):
    """make(folder) unless an earlier run finished it."""
    ready = os.path.join(folder, "ready")
    if not os.path.exists(ready):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        make(folder)
        open(ready, "w").close()
    return folder


def make_environment(folder):
    run([python37(), "-m", "venv", folder])
    run([os.path.join(folder, "bin", "python"), "-m", "pip", "install", "-q", *TOOLS])


def build(python, package, release, folder):
    source = os.path.join(folder, "source")
    run([python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "-d", source, f"{package}=={release}"])
    shutil.unpack_archive(glob.glob(source + "/*.tar.gz")[0], source)
    tree = os.path.join(source, f"{package}-{release}")
    for name in glob.glob(tree + "/**/shuffle.c", recursive=True):      # newer compilers' headers define a function of this name
        with open(name) as f:
            text = f.read()
        with open(name, "w") as f:
            f.write(re.sub(r"\b_xgetbv\b", "blosc_own_xgetbv", text))
    run([python, "setup.py", "build_ext", "--inplace"], cwd=tree, env={"CFLAGS": CFLAGS})
    shutil.copytree(os.path.join(tree, package), os.path.join(folder, package), ignore=shutil.ignore_patterns("tests", "*.c", "*.pyx", "*.pxd"))
    shutil.rmtree(source)
    run([python, "-c", f"import {package}"], env={"PYTHONPATH": folder})


def old_peers(cache):
    """{(package, release): (python, folder)} of those that could be had."""
    cache = os.path.abspath(cache)
    if not os.path.exists(os.path.join(cache, "python3.7", "ready")) and not python37():
        print(f"skipped: {', '.join(' '.join(r) for r in RELEASES)}: no Python 3.7 here; `pyenv install 3.7.17` gets one, or TEGULA_PYTHON37 names one", file=sys.stderr)
        return {}
    out = {}
    try:
        python = os.path.join(once(os.path.join(cache, "python3.7"), make_environment), "bin", "python")
    except OSError as error:
        print(f"skipped: the old zarr and bcolz, no environment for them ({error})", file=sys.stderr)
        return {}
    for package, release in RELEASES:
        try:
            folder = once(os.path.join(cache, f"{package}-{release}"), lambda f: build(python, package, release, f))
            out[package, release] = (python, folder)
        except OSError as error:
            print(f"skipped: {package} {release} cannot be built ({error})", file=sys.stderr)
    return out


if __name__ == "__main__":
    for (package, release), where in old_peers(sys.argv[1]).items():
        print(package, release, *where)
