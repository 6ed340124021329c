"""Where a notebook's verdict goes: into the driver's private folder, or, under raw papermill, the output folder."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from litmus_nb.files import replace_file

__all__ = ["Handover"]

_VARIABLE = "LITMUS_NB_HANDOVER"


@dataclass(frozen=True)
class Handover:
    """What the driver handed to this kernel; made up where there is no driver."""

    run_id: str
    private: Path | None
    """None: no driver. The notebook then writes into the output folder itself."""
    notebook_sha256: str | None

    @classmethod
    def received(cls) -> Handover:
        """What the environment holds; a run of our own where it holds nothing."""
        handed = os.environ.get(_VARIABLE)
        if not handed:
            return cls(uuid.uuid4().hex, None, None)
        fields = json.loads(handed)
        return cls(fields["run_id"], Path(fields["private"]), fields["notebook_sha256"])

    def leave_receipt(self, stage: str) -> None:
        """Say that a stage was done."""
        if self.private is not None:
            path = self.private / "receipts.jsonl"
            line = json.dumps({"stage": stage, "run_id": self.run_id}) + "\n"
            before = path.read_bytes() if path.exists() else b""
            replace_file(path, before + line.encode())
