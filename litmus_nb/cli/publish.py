"""`litmus-nb publish REPORTS --to SITE`: a site over many gate reports."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import click

from litmus_nb.cli.requests import one_line
from litmus_nb.errors import UsageError

__all__ = ["command"]


@click.command()
@click.argument("reports", type=click.Path(path_type=Path))
@click.option("--to", "site", required=True, type=click.Path(path_type=Path), help="The site's folder.")
@click.option("--title", default="Gate reports", show_default=True, help="Title of the site.")
@click.option("--base-url", default="", help="The site's address, for links in the feeds; else they are relative.")
@click.option("--quiet", is_flag=True, help="Say nothing but problems.")
@click.pass_context
def command(ctx: click.Context, reports: Path, site: Path, title: str, base_url: str, *, quiet: bool) -> None:
    """Publish every verdict below REPORTS: an index, a page per suite, the reports at permanent addresses, feeds.

    Files alone, no server. Publishing again adds what is new and takes nothing away, so REPORTS may hold only the last
    gate; a signature made since then is laid beside its verdict, which stays as it is. A page tells what was decided
    and proves nothing: who deploys runs `litmus-nb check`.

    \b
    Example:  litmus-nb publish reports --to site
              litmus-nb publish reports --to site --base-url https://gates.example.org/
    Exit:     0 published; 4 some verdicts or signatures could not be read (the others are published)
    """
    # Deferred: templates and charts are loaded only here.
    from litmus_nb.report.site.publish import publish

    if base_url and not re.fullmatch(r"https?://[^\s\"'<>]+", base_url):
        raise UsageError("--base-url is an http(s) address")
    address = base_url if not base_url or base_url.endswith("/") else f"{base_url}/"
    done = publish(reports, site, today=datetime.now(UTC).date(), title=title, base_url=address)
    for problem in done.problems:
        click.echo(f"litmus-nb: not published: {one_line(problem)}", err=True)
    if not quiet:
        added = f", {len(done.completed)} with a statement or signature made since" if done.completed else ""
        click.echo(f"{len(done.new)} new{added}, {done.total} in all: {site / 'index.html'}")
    ctx.exit(4 if done.problems else 0)
