"""Where the pages of the installed `miniwob` package are."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from harness.errors import PluginError

PACKAGE = "miniwob"


def find_pages(package: str = PACKAGE) -> Path:
    """Return the package's folder of pages, without importing the package (it would load gymnasium).

    Raises:
        PluginError: the package is not installed, or holds no pages.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise PluginError(
            f"the suite 'miniwob' needs the pages of the package {package!r}, which is not installed; "
            'run: pip install "transom[evals]"'
        )
    folder = Path(spec.origin).parent / "html"
    if not (folder / "core" / "core.js").is_file():
        raise PluginError(
            f"the package {package!r} holds no pages: {folder} has no core/core.js; "
            'run: pip install --force-reinstall "transom[evals]"'
        )
    return folder


def list_task_ids(folder: Path) -> tuple[str, ...]:
    """Return the ids of all tasks: `click-test` for miniwob/click-test.html, `flight/AA` for flight/AA/wrapper.html."""
    plain = sorted(page.stem for page in (folder / "miniwob").glob("*.html"))
    flights = sorted(page.parent.name for page in (folder / "flight").glob("*/wrapper.html"))
    return (*plain, *(f"flight/{name}" for name in flights))


def page_path(task_id: str) -> str:
    """Return the path of a task's page below the folder of pages."""
    if task_id.startswith("flight/"):
        return f"{task_id}/wrapper.html"
    return f"miniwob/{task_id}.html"
