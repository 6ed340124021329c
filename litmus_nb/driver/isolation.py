"""A kernel that is ours: this interpreter, this package, nobody's startup files, and gone when we say so."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync

__all__ = ["IsolatedKernelManager", "isolated_kernel", "kernel_environment"]

_DROPPED = ("PYTHONOPTIMIZE", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONWARNINGS")
_DROPPED_PREFIXES = ("JUPYTER_", "IPYTHON")
_NO_HISTORY = "--HistoryManager.hist_file=:memory:"


def kernel_environment(private: Path, handed: dict[str, str]) -> dict[str, str]:
    """The kernel's environment: the caller's, without what changes which code runs.

    PYTHONPATH, PYTHONSTARTUP, PYTHONOPTIMIZE (asserts vanish), Jupyter's search paths and IPython's folder (startup
    files) are dropped; the working directory does not shadow packages.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _DROPPED and not name.startswith(_DROPPED_PREFIXES)
    }
    return kept | {
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "0" if _lives_in_user_site() else "1",
        "IPYTHONDIR": str(private / "ipython"),
        "JUPYTER_CONFIG_DIR": str(private / "jupyter"),
        "JUPYTER_PLATFORM_DIRS": "1",
        **handed,
    }


def _lives_in_user_site() -> bool:
    return "site-packages" in __file__ and str(Path.home()) in __file__ and sys.prefix == sys.base_prefix


class _OneKernel(KernelSpecManager):
    """Knows one kernel: this interpreter. A kernelspec of the same name elsewhere is never looked at."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(
            argv=[sys.executable, "-P", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            display_name="litmus_nb",
            language="python",
            interrupt_mode="signal",
        )


class IsolatedKernelManager(AsyncKernelManager):
    """Starts the kernel with an environment that was made for it."""

    environment: dict[str, str]
    process_group: int | None = None

    async def _async_start_kernel(self, **options: Any) -> None:
        options["env"] = self.environment
        await super()._async_start_kernel(**options)
        self.process_group = getattr(self.provisioner, "pgid", None)

    start_kernel = _async_start_kernel

    def launch(self) -> None:
        """Start the kernel's process and come back while it gets ready; papermill then finds it running.

        Raises:
            OSError: no process can be started.
        """
        run_sync(self._async_start_kernel)(extra_arguments=[_NO_HISTORY])

    def kill_group(self) -> None:
        """End the kernel and every process it started, stopped ones too."""
        if self.process_group:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process_group, signal.SIGKILL)

    def end(self) -> None:
        """End everything at once: a polite shutdown would let late threads of the kernel run on."""
        self.kill_group()
        process = getattr(self.provisioner, "process", None)
        if process is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                process.wait(timeout=10)
        self.cleanup_connection_file()
        self.cleanup_ipc_files()


@contextlib.contextmanager
def isolated_kernel(environment: dict[str, str]) -> Iterator[IsolatedKernelManager]:
    """A kernel that has not been started yet; whatever was started is ended with the block.

    It is spoken to through sockets of the file system in a folder of our own: no port is open on the machine.
    """
    with tempfile.TemporaryDirectory(prefix="lnb-", ignore_cleanup_errors=True) as sockets:
        manager = IsolatedKernelManager(
            kernel_spec_manager=_OneKernel(),
            kernel_name="python3",
            transport="ipc",
            ip=f"{sockets}/k",
            connection_file=f"{sockets}/connection.json",
        )
        manager.environment = environment
        try:
            yield manager
        finally:
            manager.end()
