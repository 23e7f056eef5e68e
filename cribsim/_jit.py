"""How cribsim compiles: one decorator, and a disk cache that can't answer with old code.

numba's cache doesn't see an edit in an imported file, nor a new value of a global. So the cache folder is named by a
digest of every source and data file of the package; for a user's strategy also of the user's modules and of all that
its function reaches (`_reach`). Any edit gives a clean folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event

from cribsim._reach import Reach

PACKAGE = Path(__file__).parent
_KEPT_FOLDERS = 8
"""Of the package's, and of users'."""
_USER = "-user"
_config: Any = numba.config

if _config.DISABLE_JIT:
    # compiled integers wrap round in silence; interpreted ones shall too
    np.seterr(over="ignore")


def _digest(paths: Iterable[Path], *more: str) -> str:
    versions = (numba.__version__, np.__version__, sys.version_info[:3])
    digest = hashlib.sha256(repr((versions, more)).encode())
    for path in sorted(paths):
        digest.update(str(path).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def package_digest() -> str:
    """Sixteen hex digits that change with any source or data file of the package."""
    return _digest(path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".csv", ".npz"})


def _user_files() -> list[Path]:
    """Source files of loaded modules that are neither the standard library nor installed packages."""
    system = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    files = set()
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if name and name.endswith(".py"):
            path = Path(name).resolve()
            if not any(folder in path.parents for folder in system) and PACKAGE not in path.parents:
                files.add(path)
    return [path for path in files if path.is_file()]


def cache_root() -> Path:
    """The folder that holds a folder of compiled code for each digest."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen) / "cribsim"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "cribsim"


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def _writable_root() -> Path | None:
    for root in (cache_root(), Path(tempfile.gettempdir()) / f"cribsim-{os.getuid() if hasattr(os, 'getuid') else 0}"):
        if _usable(root):
            return root
    warnings.warn("no folder for compiled code can be written; cribsim compiles anew in each process", stacklevel=2)
    return None


def _stat(path: Path) -> os.stat_result | None:
    """None where another process has just removed the path."""
    try:
        return path.stat()
    except OSError:
        return None


def _remove_old(root: Path, digest: str) -> None:
    """Keep the folders used last, users' counted apart; another process may be doing the same."""
    known = sorted((stat.st_mtime, path) for path in root.iterdir() if (stat := _stat(path)) and path.is_dir())
    for is_user in (False, True):
        folders = [path for _, path in known if path.name.endswith(_USER) == is_user]
        for old in folders[:-_KEPT_FOLDERS]:
            if old.name not in (digest, package_digest()):
                shutil.rmtree(old, ignore_errors=True)


@functools.cache
def _folder(digest: str) -> Path | None:
    root = _writable_root()
    if root is None or not _usable(root / digest):
        return None
    with contextlib.suppress(OSError):
        os.utime(root / digest)  # what lies within is read without leaving a trace
    _remove_old(root, digest)
    return root / digest


def data_folder() -> Path | None:
    """Where arrays that take long to make may be kept until the package changes; None where nothing can be written."""
    return _folder(package_digest())


def is_cold() -> bool:
    """Whether the engine still has to be compiled on this machine."""
    folder = _folder(package_digest())
    return folder is None or not any(folder.rglob("engine.play_rounds-*.nbi"))


class _Compiling(event.Listener):
    """Hears when numba compiles; what it finds on disk it loads in silence."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self.tell: Callable[[], None] | None = tell

    def on_start(self, event: Any) -> None:
        compiled = event.data["dispatcher"]
        is_kept = compiled.py_func.__module__.startswith("cribsim.") and compiled.stats.cache_path
        if is_kept and self.tell:
            self.tell()
            self.tell = None

    def on_end(self, event: Any) -> None:
        """Nothing is told."""


@contextlib.contextmanager
def telling_of_compilation(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` once if a kernel of the package must be compiled within the block, to be kept on disk."""
    with event.install_listener("numba:compile", _Compiling(tell)):
        yield


def cache_info() -> dict[str, Any]:
    """Where compiled code lies, and how much of it."""
    root = _writable_root()
    sizes = [stat.st_size for path in root.rglob("*.nb?") if (stat := _stat(path))] if root else []
    return {
        "folder": str(root) if root else None,
        "digest": package_digest(),
        "files": len(sizes),
        "bytes": sum(sizes),
        "cold": is_cold(),
    }


def clear_cache() -> int:
    """Remove all compiled code; return the number of files removed."""
    root = _writable_root()
    n_files = sum(path.is_file() for path in root.rglob("*")) if root else 0
    if root:
        shutil.rmtree(root, ignore_errors=True)
    return n_files


def _compile(function: Callable[..., Any], signature: Any, folder: Path | None, **options: Any) -> Any:
    before = _config.CACHE_DIR
    try:
        _config.CACHE_DIR = str(folder) if folder else ""
        return numba.njit(signature, nogil=True, cache=folder is not None, **options)(function)
    finally:
        _config.CACHE_DIR = before


def kernel(function: Callable[..., Any] | None = None, *, signature: Any = None, inline: bool = False) -> Any:
    """Compile a function of the package. Its body stays valid plain Python (`NUMBA_DISABLE_JIT=1`).

    A kernel works in arrays that it is given and allocates nothing, so numba needn't count references (which would
    cost more than the sums). `inline` puts it into its callers whatever its size.
    """
    if function is None:
        return functools.partial(kernel, signature=signature, inline=inline)
    folder = _folder(package_digest())
    return _compile(function, signature, folder, error_model="numpy", _nrt=False, forceinline=inline)


def user_kernel(function: Callable[..., Any]) -> Any:
    """Compile a user's function; kept on disk only where all that numba freezes into it has a digest."""
    reach = Reach(function)
    lasts = reach.is_whole and Path(function.__code__.co_filename).is_file()
    digest = _digest(_user_files(), package_digest(), reach.compiled)
    return _compile(function, None, _folder(digest + _USER) if lasts else None)
