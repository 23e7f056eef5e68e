"""What all tests share."""

import contextlib

import pytest


@pytest.fixture(autouse=True)
def _compile_in_silence(monkeypatch):
    """No test of this process expects the line that kernels are compiled: it depends on what ran before."""
    monkeypatch.setattr("cribsim._jit.telling_of_compilation", lambda tell: contextlib.nullcontext())
