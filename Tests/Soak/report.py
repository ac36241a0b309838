"""What a violation looks like: a page with the calls that show it, as a timeline, and the log around them."""
from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from checks import Violation
from history import Op
from model import Log

_COLOURS = {"ok": "#2a7d46", "fail": "#8a8a8a", "unknown": "#c98a00"}
_WIDTH, _LANE, _MARGIN = 1200, 26, 170

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #222; }
pre { background: #f5f5f5; padding: .7em; overflow-x: auto; font-size: 12px; }
svg text { font: 11px ui-monospace, monospace; }
.rule { color: #b00020; }
"""


def write(path: Path, title: str, violations: list[Violation], ops: list[Op], log: Log) -> None:
    """Writes the page."""
    parts = [f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title><style>{_STYLE}</style>",
             f"<h1>{html.escape(title)}</h1>"]
    for violation in violations:
        chosen = minimal(violation, ops)
        parts.append(f"<h2 class=rule>{html.escape(violation.rule)}</h2><p>{html.escape(violation.text)}</p>")
        parts.append(timeline(chosen, violation.ops))
        parts.append("<pre>" + html.escape("\n".join(op.text() for op in chosen)) + "</pre>")
        if commits := around(violation, log):
            parts.append("<p>The log:</p><pre>" + html.escape("\n".join(commits)) + "</pre>")
    path.write_text("\n".join(parts), encoding="utf-8")


def minimal(violation: Violation, ops: list[Op], most: int = 40) -> list[Op]:
    """The calls that show the violation, and what else happened to its key and which faults there were meanwhile."""
    shown = {op.id: op for op in violation.ops}
    if not shown:
        authors = [op for op in ops if op.revision in violation.revisions]
        shown = {op.id: op for op in authors[:6]}
    if not shown:
        return []
    low, high = min(op.start for op in shown.values()), max(op.end for op in shown.values())
    others = [op for op in ops if op.id not in shown and op.start <= high and op.end >= low
              and (op.client == "nemesis" or violation.key is not None and _touches(op, violation.key))]
    # The nearest to the end: that is where it went wrong.
    others = sorted(others, key=lambda op: abs(op.end - high))[:max(0, most - len(shown))]
    return sorted([*shown.values(), *others], key=lambda op: op.start)


def _touches(op: Op, key: str) -> bool:
    return op.args.get("key") == key or key in op.args.get("sets", {})


def around(violation: Violation, log: Log) -> list[str]:
    """The commits that a violation names, and their neighbours."""
    wanted = sorted({near for revision in violation.revisions for near in (revision - 1, revision, revision + 1)})
    return [json.dumps(log.commits[revision], ensure_ascii=False)[:900] for revision in wanted[:16]
            if revision in log.commits]


def timeline(ops: list[Op], marked: list[Op]) -> str:
    """An SVG with a lane for each client; time goes to the right."""
    if not ops:
        return ""
    lanes = list(dict.fromkeys(op.client for op in ops))
    low, high = min(op.start for op in ops), max(op.end for op in ops)
    scale = (_WIDTH - _MARGIN - 20) / max(1, high - low)
    chosen = {op.id for op in marked}
    rows: dict[str, list[float]] = {lane: [] for lane in lanes}
    placed: list[tuple[Op, int, float, float]] = []
    for op in ops:
        x = _MARGIN + (op.start - low) * scale
        width = max(3.0, (op.end - op.start) * scale)
        row = next((index for index, until in enumerate(rows[op.client]) if until <= x), len(rows[op.client]))
        if row == len(rows[op.client]):
            rows[op.client].append(0)
        rows[op.client][row] = x + width + 1
        placed.append((op, row, x, width))
    tops: dict[str, int] = {}
    height = 10
    for lane in lanes:
        tops[lane] = height
        height += _LANE * len(rows[lane]) + 4
    parts = [f"<svg width={_WIDTH} height={height + 24} viewBox='0 0 {_WIDTH} {height + 24}'>"]
    for lane in lanes:
        parts.append(f"<text x=4 y={tops[lane] + 16}>{html.escape(lane)}</text>")
    for op, row, x, width in placed:
        colour = "#b8c4e0" if op.client == "nemesis" else _COLOURS[op.outcome]
        stroke = " stroke='#b00020' stroke-width=2" if op.id in chosen else ""
        top = tops[op.client] + row * _LANE
        label = f"#{op.id} {op.kind}" + (f" → {op.revision}" if op.revision else "")
        parts.append(f"<g><title>{html.escape(op.text())}</title>"
                     f"<rect x={x:.1f} y={top + 3} width={width:.1f} height=14 rx=2 fill='{colour}'{stroke}/>"
                     f"<text x={x + 2:.1f} y={top + 26}>{html.escape(label)}</text></g>")
    parts.append(f"<text x={_MARGIN} y={height + 18}>{low / 1e9:.3f} s</text>"
                 f"<text x={_WIDTH - 70} y={height + 18}>{high / 1e9:.3f} s</text></svg>")
    return "".join(parts)


def table(counts: dict[str, dict[str, int]]) -> str:
    """Counts of calls by kind and outcome, as text."""
    lines = [f"  {kind:<16} " + "  ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
             for kind, outcomes in counts.items()]
    return "\n".join(lines)


def flat(counts: Any) -> str:
    """A counter in one line."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
