"""Sizes of the page, time to write and to open it, and how fast it moves.

Needs Chromium and playwright; without them only sizes and writing times are printed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import capcurve as cap

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
MOVES = 200
SLIDE = """moves => {
    const slider = document.getElementById('slider');
    const took = [];
    for (let i = 0; i < moves; i += 1) {
        slider.value = (i * 37) % 1000;
        const start = performance.now();
        slider.dispatchEvent(new Event('input'));
        document.body.getBoundingClientRect();  // layout belongs to the move
        took.push(performance.now() - start);
    }
    return took;
}"""
PLAY = """() => new Promise(done => {
    const frames = [];
    document.getElementById('play').click();
    const next = now => {
        frames.push(now);
        if (document.getElementById('morph').value === '1000') done(frames);
        else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
})"""
PAINT = "performance.getEntriesByType('paint').find(p => p.name === 'first-contentful-paint')"


def evaluated(rows: int) -> cap.Evaluation:
    rng = np.random.default_rng(1)
    positive = rng.random(rows) < 0.05
    score = rng.standard_normal(rows, dtype=np.float32)
    score += positive
    return cap.evaluate(cap.count_scores(positive, score), value=1000, cost=60)


def months() -> cap.Evaluation:
    rng = np.random.default_rng(2)
    positive = rng.random(24_000) < 0.1
    scores = {f"model {i}": rng.standard_normal(24_000) + positive for i in range(5)}
    by = [f"20{24 + i // 12}-{i % 12 + 1:02d}" for i in range(24)]
    return cap.evaluate(positive, scores, by=np.tile(by, 1000))


def written(evaluation: cap.Evaluation, path: Path) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        evaluation.save(path)
        times.append(time.perf_counter() - start)
    return min(times)


def in_browser(paths: dict[str, Path]) -> dict[str, tuple[float, float, float]]:
    """Return milliseconds to first paint and per move of the slider, and frames a second."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        return {}
    found = {}
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=program, args=ARGUMENTS)
        for name, path in paths.items():
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_timeout(500)
            paint = page.evaluate(f"{PAINT}?.startTime ?? NaN")
            slide = statistics.median(page.evaluate(SLIDE, MOVES))
            frames = page.evaluate(PLAY)
            found[name] = (paint, slide, 1000 * (len(frames) - 1) / (frames[-1] - frames[0]))
            page.close()
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 100_000, 10_000_000])
    chosen = parser.parse_args()
    cases = {f"{rows:,} rows": lambda rows=rows: evaluated(rows) for rows in chosen.rows}
    cases["5 scores, 24 months"] = months
    with tempfile.TemporaryDirectory() as folder:
        lines, paths = {}, {}
        for i, (name, make) in enumerate(cases.items()):
            paths[name] = Path(folder) / f"{i}.html"
            lines[name] = written(make(), paths[name])
        seen = in_browser(paths)
        print("| page | written in | size | first paint | slider, median | morph |")
        print("|---|---|---|---|---|---|")
        for name, seconds in lines.items():
            size = paths[name].stat().st_size / 1000
            row = f"| {name} | {seconds:.2f} s | {size:.0f} kB |"
            if name in seen:
                paint, slide, frames = seen[name]
                row += f" {paint:.0f} ms | {slide:.1f} ms | {frames:.0f} frames/s |"
            print(row)


if __name__ == "__main__":
    main()
