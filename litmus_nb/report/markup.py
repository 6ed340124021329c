"""How pieces of a page become HTML. jinja2 escapes everything; the evidence's words are cleaned and set apart first."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from litmus_nb._version import __version__
from litmus_nb.report.numbers import plural
from litmus_nb.report.palette import LIGHT
from litmus_nb.report.phrases import Code, Phrase, Quoted, with_code
from litmus_nb.report.template_cache import compiled_templates
from litmus_nb.report.text import safe_block, safe_text

__all__ = ["content_security_policy", "page_environment", "rendered_page", "template_text", "themed"]


@functools.cache
def page_environment() -> Environment:
    """The environment of every page: autoescape on, an unknown name is an error and not an empty string."""
    environment = Environment(
        loader=PackageLoader("litmus_nb.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        bytecode_cache=compiled_templates(),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters.update(
        said=said, ours=ours, theirs=theirs, block=block, digest=digest, counted=plural, sentence_case=sentence_case
    )
    return environment


def rendered_page(
    template: str, view: dict[str, Any], *, styles: Sequence[str] = ("page.css",), script: str | None = None
) -> str:
    """A page of ours as a self-contained document: its style inside, and a policy that lets in nothing else.

    Args:
        template: its file's name.
        view: what it says.
        styles: names of our style sheets, in their order.
        script: our own script that the page holds, where it holds one.
    """
    css = "".join(template_text(name) for name in styles)
    common = {
        "version": __version__,
        "css": Markup(css),  # noqa: S704 - our own files
        "policy": content_security_policy(css, script=script),
    }
    return page_environment().get_template(template).render(common | view)


def template_text(name: str) -> str:
    """A file that lies beside the templates."""
    return files("litmus_nb.report").joinpath("templates", name).read_text(encoding="utf-8")


def said(sentence: Phrase) -> Markup:
    """A sentence with the evidence's words isolated from ours, for the eye and for the direction of writing."""
    return Markup("").join(_said_piece(piece) for piece in sentence)


def _said_piece(piece: str) -> Markup:
    if isinstance(piece, Quoted):
        return theirs(piece)
    return Markup("<code>{}</code>").format(piece) if isinstance(piece, Code) else escape(piece)


def ours(text: str) -> Markup:
    """Our own text: what stands in it between backquotes is to be typed."""
    return said(with_code(text))


def theirs(text: object, limit: int = 300) -> Markup:
    """Untrusted text: cleaned, escaped, in a box of its own direction and typeface."""
    return Markup('<bdi class="theirs">{}</bdi>').format(safe_text(text, limit=limit))


def block(text: str) -> Markup:
    """A file as it was, line by line."""
    return Markup('<pre class="theirs" tabindex="0"><bdi>{}</bdi></pre>').format(safe_block(text))


def digest(value: str | None) -> Markup:
    """A digest that shows its beginning and is selected whole."""
    if value is None:
        return Markup('<span class="unknown">not known</span>')
    return Markup('<code class="digest" title="{0}">{0}</code>').format(safe_text(value, limit=100))


def sentence_case(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def content_security_policy(css: str, *, script: str | None = None) -> str:
    """A policy that lets this page's own style in and nothing else: no script, network, form, frame or plug-in.

    A page that has one script of ours names that script and no other.
    """
    scripts = "" if script is None else f"script-src '{_fingerprint(script)}'; "
    return (
        f"default-src 'none'; {scripts}style-src '{_fingerprint(css)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _fingerprint(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


_COLOUR_NAMES = {value: name for name, value in LIGHT._asdict().items()} | {"white": "paper"}
_VALUE = re.compile(r'"[^"]*"')
_TAG = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
_COLOUR = re.compile(r'(fill|stroke)="(#(?:[0-9a-f]{6}|[0-9a-f]{3})|white|black)"')


def themed(svg: str) -> Markup:
    """A chart's SVG with our colours as variables of the page, so that the reader's dark setting holds for it too.

    The SVG is made by the chart library from data that `safe_text` has cleaned, and the library escapes markup; that it
    holds no script, link or foreign content is checked here all the same.

    Raises:
        ValueError: the SVG holds something that a drawing does not need.
    """
    if found := re.search(
        r"<\s*(?!/?(?:svg|g|path|text|line|rect|circle|title|desc|defs|clipPath|tspan)\b)[^>]{0,40}", svg
    ):
        raise ValueError(f"an element that a chart does not need: {found[0]!r}")
    for tag in _TAG.findall(svg):
        # What an attribute says may hold any words of the evidence, " onclick=" among them; its name acts.
        if found := re.search(r"[\s\"'/](?:on\w+|href|xlink:href|style|src)\s*=", _VALUE.sub('""', tag)):
            raise ValueError(f"an attribute that a chart does not need: {found[0].strip()!r} in {tag[:80]!r}")
    if "<" in _TAG.sub("", svg):
        raise ValueError("a tag that does not end")
    named = _COLOUR.sub(lambda match: f'{match[1]}="var(--{_COLOUR_NAMES.get(match[2], "ink")})"', svg)
    return Markup(named)  # noqa: S704 - checked above, made by us
