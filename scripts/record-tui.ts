/**
 * Records `lhs tui` over the demo's index as an animated SVG, docs/tui.svg, which README.md shows.
 * It needs tmux and the build:
 *
 *     node scripts/record-tui.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pane } from '../packages/cli/test/tmux.ts';
import { type Frame, framesToSvg } from './record/frames-to-svg.ts';

const [COLUMNS, ROWS] = [100, 24];
const LHS = new URL('../packages/cli/bin/lhs.js', import.meta.url).pathname;

/** What is pressed, and what has to be on the screen before the next key. */
interface Step {
  readonly type?: string;
  readonly press?: string;
  readonly until: RegExp;
  /** How long the result is shown; default: as a key of fast typing. */
  readonly ms?: number;
}

const typed = (text: string, before: string): Step[] =>
  [...text].map((letter, i) => ({
    type: letter,
    until: new RegExp(`${before}${text.slice(0, i + 1)}`),
  }));

const STEPS: readonly Step[] = [
  { until: /5,018 hits[\s\S]*^▸ id=.*│ id/m, ms: 1500 },
  ...typed('certificate rota', ''),
  { until: /▸ +\d.*ertificate/, ms: 1800 },
  { press: 'C-u', until: /5,018 hits/ },
  ...typed('leak service:', ''),
  { until: /^ service +\w+ \d/m, ms: 1000 },
  ...typed('bil', 'service:'),
  { until: /^ service +billing \d/m, ms: 300 },
  { press: 'Tab', until: /service:billing .*hits/, ms: 1600 },
  { press: 'Down', until: /^▸/m, ms: 300 },
  { press: 'Down', until: /^▸/m, ms: 1200 },
  { press: 'C-e', until: /matched, rank 3/, ms: 2500 },
  { press: 'Escape', until: /^▸/m, ms: 400 },
  { press: 'C-u', until: /5,018 hits/, ms: 300 },
  { press: 'C-x', until: /semantic/, ms: 900 },
  { type: 'employees locked outside the office entrance', until: /Nobody could enter/, ms: 3000 },
];

async function record(data: string): Promise<readonly Frame[]> {
  const node = `'${process.execPath}' '${LHS}'`;
  const pane = new Pane(COLUMNS, ROWS, `${node} tui demo-incidents`, {
    LHS_DATA_DIR: data,
    COLORTERM: 'truecolor',
  });
  try {
    const frames: Frame[] = [];
    for (const { type, press, until, ms = 110 } of STEPS) {
      if (type !== undefined) pane.type(type);
      if (press !== undefined) pane.press(press);
      await pane.until(until);
      await settled(pane);
      frames.push({ lines: linesOf(pane), ms });
    }
    return frames;
  } finally {
    pane.dispose();
  }
}

const linesOf = (pane: Pane): string[] => pane.styled().replace(/\n$/, '').split('\n');

const SETTLED_MS = 250;

/** Waits until the screen stays as it is. */
async function settled(pane: Pane): Promise<void> {
  for (let before = ''; before !== pane.styled(); ) {
    before = pane.styled();
    await delay(SETTLED_MS);
  }
}

const data = mkdtempSync(join(tmpdir(), 'lhs-record-'));
try {
  execFileSync(process.execPath, [LHS, 'demo', '--data-dir', data], { stdio: 'ignore' });
  const svg = framesToSvg(await record(data), COLUMNS, ROWS);
  writeFileSync(new URL('../docs/tui.svg', import.meta.url), svg);
  console.log(`docs/tui.svg: ${STEPS.length} frames, ${Math.round(svg.length / 1000)} kB`);
} finally {
  rmSync(data, { recursive: true, force: true });
}
