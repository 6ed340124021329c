"""Inspect's sandbox API over sandbox.sh: a fresh folder for each sample, and every command inside the bubble."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Literal, overload

from inspect_ai.util import ExecResult, SandboxEnvironment, sandboxenv, subprocess

HERE = Path(__file__).parent


@sandboxenv(name="bubble")
class Bubble(SandboxEnvironment):
    """One sample's sandbox."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bubble-"))

    @classmethod
    async def sample_init(cls, task_name, config, metadata):
        return {"default": cls()}

    @classmethod
    async def sample_cleanup(cls, task_name, config, environments, interrupted) -> None:
        for environment in environments.values():
            shutil.rmtree(environment.as_type(cls).folder, ignore_errors=True)

    async def exec(
        self,
        cmd,
        input=None,
        cwd=None,
        env=None,
        user=None,
        timeout=None,
        timeout_retry=True,
        concurrency=True,
    ) -> ExecResult[str]:
        inside = ["env", "-C", cwd, *cmd] if cwd else cmd
        told = {"SANDBOX_DIR": str(self.folder)}
        return await subprocess([str(HERE / "sandbox.sh"), *inside], input=input, env=told, timeout=timeout)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...
    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        content = (self.folder / file).read_bytes()
        return content.decode() if text else content
