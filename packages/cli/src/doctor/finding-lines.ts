import type { IndexFinding } from '@lakehouse-search/engine';
import { adviceLines } from '../terminal/errors/next-step.ts';
import { bytes } from '../terminal/figures.ts';
import type { Style } from '../terminal/style.ts';
import { printable } from '../terminal/text.ts';

/** Findings about an index as people read them, each with what to do. */
export function findingLines(findings: readonly IndexFinding[], style: Style): readonly string[] {
  return findings.flatMap(({ level, detail, advice, next, bytes: size }) => {
    const mark = level === 'problem' ? style.red('bad ') : style.yellow('note');
    const cost = size === undefined ? '' : ` (${bytes(size)})`;
    const lines = adviceLines(advice, next).map((line) => `      ${printable(line)}`);
    return [`${mark}  ${printable(detail)}${cost}`, ...lines];
  });
}
