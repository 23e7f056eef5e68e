"""Folders that appear whole or not at all: written as a hidden draft beside their place, and renamed at the end."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from cribsim.errors import ResultError, shown
from cribsim.stopping import DRAFTS

if sys.platform != "win32":
    import fcntl

_LONGEST_PREFIX = 60
"""Bytes of a folder's name that its drafts repeat: theirs must not become too long where its own isn't."""


class new_folder:  # noqa: N801
    """`with new_folder(path) as draft: write into draft`. What would be in the way at the end is refused at once.

    A draft is locked while it is written. One that nobody locks was left by a run that was killed, and goes when the
    next run of the same name begins, unless it is a whole result that couldn't be renamed.
    """

    def __init__(self, folder: str | Path, gives_way: Callable[[Path], bool] = lambda _folder: False) -> None:
        self.folder, self.gives_way = _readable(folder), gives_way
        self.place = Path(os.path.realpath(self.folder))
        name = self.place.name.encode()[:_LONGEST_PREFIX].decode(errors="ignore")
        self.prefix = f".{name}.draft-"
        self.lock: int | None = None

    def __enter__(self) -> Path:
        try:
            self._refuse_taken()
            self.place.parent.mkdir(parents=True, exist_ok=True)
            self._remove_left()
            self._begin()
        except OSError as error:
            raise ResultError(f"{self.folder} can't be written: {error.strerror or error}") from None
        DRAFTS.add(self.draft)
        return self.draft

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            if kind is not None:
                shutil.rmtree(self.draft, ignore_errors=True)
            else:
                self._finish()
        finally:
            DRAFTS.discard(self.draft)
            _unlock(self.lock)

    def _refuse_taken(self) -> None:
        if self.gives_way(self.place):
            return
        if self.place.exists() and (not self.place.is_dir() or any(self.place.iterdir())):
            raise ResultError(f"{self.folder} exists already; name a new folder, nothing was overwritten")

    def _remove_left(self) -> None:
        for left in self.place.parent.glob(f"{glob.escape(self.prefix)}*"):
            lock = _lock(left, wait=False)
            if lock is not None and not any(left.rglob("*.json")):
                shutil.rmtree(left, ignore_errors=True)
            _unlock(lock)

    def _begin(self) -> None:
        """Make and lock a draft, once more if another run has just taken it for one that was left."""
        while True:
            self.draft = Path(tempfile.mkdtemp(prefix=self.prefix, dir=self.place.parent))
            self.lock = _lock(self.draft, wait=True)
            if self.draft.is_dir():
                return
            _unlock(self.lock)

    def _finish(self) -> None:
        try:
            self._refuse_taken()
            self.draft.chmod(0o777 & ~_umask())
            self._rename()
        except (OSError, ResultError) as error:
            why = error if isinstance(error, ResultError) else f"{self.folder} can't be written: {error.strerror}"
            raise OSError(f"{why}; the whole result lies in {self.draft}") from None

    def _rename(self) -> None:
        """Take the place; what is there (an empty folder, or what gives way) goes when that is done."""
        if not self.place.exists():
            os.replace(self.draft, self.place)
            return
        aside = self.draft.with_name(f"{self.draft.name}-old")
        os.replace(self.place, aside)
        try:
            os.replace(self.draft, self.place)
        except BaseException:
            os.replace(aside, self.place)
            raise
        shutil.rmtree(aside, ignore_errors=True)


def user_path(text: str) -> Path:
    """The path that a user's text means, `~` for the home folder.

    Raises
    ------
    ValueError
        There is no such home folder, or the text can't name a file.
    """
    try:
        return Path(os.path.abspath(Path(text).expanduser()))
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def data_home() -> Path:
    """Where what a user made for every run is kept: XDG_DATA_HOME, or ~/.local/share, and in it cribsim."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return Path(base) / "cribsim"


def file_digest(path: Path) -> str:
    """Sixteen hex digits that change with what a file holds; empty where it can't be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except (OSError, ValueError):
        return ""


def _readable(folder: str | Path) -> Path:
    """A path with a last part that can be made and written about."""
    if not isinstance(folder, (str, Path)) or "\0" in str(folder):
        raise ResultError(f"{shown(folder)} is no folder; give a path")
    path = Path(folder)
    if path.name in ("", ".."):
        raise ResultError(f"{str(folder)!r} names no new folder; give a path such as results/mine")
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise ResultError(f"{str(folder)!r} can't be written as text; name another folder") from None
    return path


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold a folder for this process meanwhile; False where another does. (True where there are no locks.)"""
    lock = _lock(folder, wait=False)
    held_by_other = lock is None and sys.platform != "win32" and _has_locks(folder)
    try:
        yield not held_by_other
    finally:
        _unlock(lock)


def _has_locks(folder: Path) -> bool:
    """Whether this file system knows locks, tried on a file of our own."""
    with tempfile.NamedTemporaryFile(dir=folder.parent) as own:
        try:
            fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def _lock(folder: Path, *, wait: bool) -> int | None:
    """Open and lock a folder. None: another process holds it, it is gone, or this file system has no locks."""
    if sys.platform == "win32":
        return None
    opened = None
    try:
        opened = os.open(folder, os.O_RDONLY)
        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        _unlock(opened)
        return None
    return opened


def _unlock(opened: int | None) -> None:
    if opened is not None:
        with contextlib.suppress(OSError):
            os.close(opened)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
