"""What the documents' site needs beyond `docs/`: files of the checkout that the pages link to, below `project/`.

The pages link as they lie in the checkout (`../examples/inspect/README.md`), so that they read well there too. Here
such links are turned to the copies in the site; a link to a file that the site does not have stays as its text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
OUTSIDE = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE",
    "Makefile",
    "benchmarks/*.md",
    "benchmarks/*.svg",
    "benchmarks/*.py",
    "benchmarks/calibration/*.md",
    "benchmarks/calibration/*.svg",
    "benchmarks/calibration/*.py",
    "examples/**/*.*",
    "notebooks/*.ipynb",
    "params/*.yaml",
)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the files of the checkout that pages link to."""
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                name = f"project/{path.relative_to(ROOT).as_posix()}"
                files.append(File.generated(config, name, content=path.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn the links of a page from the checkout's places to the site's."""
    here = page.file.src_uri
    source = here.removeprefix("project/") if here.startswith("project/") else f"docs/{here}"

    def turned(link: re.Match[str]) -> str:
        mark, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        candidates = [place, f"{place}/README.md", f"{place}/index.md"]
        for candidate in candidates:
            name = candidate.removeprefix("docs/") if candidate.startswith("docs/") else f"project/{candidate}"
            if files.get_file_from_path(name) is not None:
                return f"{mark}[{text}]({posixpath.relpath(name, posixpath.dirname(here) or '.')}{anchor})"
        if not (ROOT / place).exists():
            raise ValueError(f"{source}: a link to {target}, which is not there")
        return text

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(turned, part) for part in parts)
