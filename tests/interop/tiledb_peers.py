"""The libtiledb releases that the interop test asks: one for each format version from 3 to 22, and the last.

Each lies in a wheel of tiledb-py; only the shared object is kept, in CACHE/libtiledb-RELEASE.so.
"""
import concurrent.futures
import hashlib
import io
import os
import platform
import re
import subprocess
import sys
import urllib.parse
import urllib.request
import zipfile

# format version: (libtiledb, the tiledb-py that carries it, a Python that one was built for: any will do)
RELEASES = {
    3: ("1.6.3", "0.4.4", "cp37"), 4: ("1.7.0", "0.5.0", "cp37"), 5: ("2.0.8", "0.6.6", "cp37"), 6: ("2.1.6", "0.7.7", "cp37"),
    7: ("2.2.2", "0.8.0", "cp37"), 8: ("2.2.9", "0.8.11", "cp37"), 9: ("2.3.3", "0.9.5", "cp37"), 10: ("2.4.3", "0.10.5", "cp37"),
    11: ("2.7.2", "0.13.3", "cp37"), 12: ("2.8.3", "0.14.5", "cp37"), 13: ("2.9.5", "0.15.6", "cp37"), 14: ("2.10.4", "0.16.5", "cp37"),
    15: ("2.11.3", "0.17.6", "cp37"), 16: ("2.12.3", "0.18.3", "cp37"), 17: ("2.14.0", "0.20.0", "cp37"), 18: ("2.15.4", "0.21.6", "cp37"),
    19: ("2.16.3", "0.22.3", "cp37"), 20: ("2.17.5", "0.23.5", "cp37"), 21: ("2.19.2", "0.25.1", "cp37"), 22: ("2.25.0", "0.31.1", "cp38"),
}
LATEST = ("2.30.0", "0.36.1", "cp39")


def get(url):
    with urllib.request.urlopen(url, timeout=120) as answer:
        return answer.read()


def index_url():
    """What pip uses, so that a mirror does."""
    for setting in (os.environ.get("PIP_INDEX_URL"), pip_setting(), "https://pypi.org/simple"):
        if setting:
            return setting.rstrip("/")


def pip_setting():
    found = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


def wheels():
    """(tiledb-py release, Python) -> (address, sha256) of the wheels for this kind of machine."""
    base = index_url() + "/tiledb/"
    out = {}
    for href in re.findall(r'href="([^"]+)"', get(base).decode()):
        address, _, fragment = href.partition("#")
        name = re.search(rf"tiledb-([\d.]+)-(cp\d+)-[^/]*manylinux[^/]*_{platform.machine()}\.whl$", address)
        if name:
            out[name.groups()] = (urllib.parse.urljoin(base, address), fragment.partition("sha256=")[2])
    return out


def fetch(address, sha256, path):
    data = get(address)
    if sha256 and hashlib.sha256(data).hexdigest() != sha256:
        raise OSError("the download is not what the index promises")
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        [member] = [n for n in wheel.namelist() if re.search(r"/libtiledb[^/]*\.so[.\d]*$", n) and "cpython" not in n]
        library = wheel.read(member)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "wb") as out:
        out.write(library)
    os.replace(temporary, path)


def libraries(cache):
    """release -> path of its shared object. What cannot be had is left out, with a message."""
    os.makedirs(cache, exist_ok=True)
    wanted = {release: (os.path.join(cache, f"libtiledb-{release}.so"), package, python) for release, package, python in [*RELEASES.values(), LATEST]}
    missing = {r: w for r, w in wanted.items() if not os.path.exists(w[0])}
    if missing:
        try:
            index = wheels()
        except OSError as error:
            index = {}
            print(f"skipped: no package index ({error})")

        def one(release):
            path, package, python = missing[release]
            if (package, python) not in index:
                return print(f"skipped: libtiledb {release}, no wheel of tiledb {package} for this machine")
            try:
                fetch(*index[package, python], path)
            except (OSError, ValueError, zipfile.BadZipFile) as error:
                print(f"skipped: libtiledb {release} ({error})")

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(one, missing))
    return {release: w[0] for release, w in wanted.items() if os.path.exists(w[0])}


if __name__ == "__main__":
    print(*sorted(libraries(sys.argv[1]).values()), sep="\n")
