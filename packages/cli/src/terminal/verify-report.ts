import type { Coordinates, VerifyResponse } from '@lakehouse-search/contract';
import { formatKey } from '@lakehouse-search/engine';
import { count, duration, plural, snapshotName } from './figures.ts';
import type { Style } from './style.ts';
import { cut, wrap } from './text.ts';

const KEYS_SHOWN = 3;
const FAULTS_SHOWN = 5;

/** What a report is about, besides the answer. */
export interface VerifyScene {
  readonly index: string;
  /** The command that syncs the index, if a snapshot was named: the index need not equal it. */
  readonly sync?: string | undefined;
  readonly width: number;
  readonly style: Style;
}

/** A verify's answer in lines: what was compared, what differs with the first keys, what to do. */
export function verifyReport(found: VerifyResponse, scene: VerifyScene): readonly string[] {
  const lines = [...repairLine(found), ...wrap(headline(found), scene.width)];
  for (const kind of ['missing', 'extra', 'stale'] as const) {
    lines.push(...drift(kind, found[kind], found.keys[kind], scene));
  }
  for (const fault of found.faults.slice(0, FAULTS_SHOWN)) {
    lines.push(cut(`${scene.style.red('fault'.padEnd(9))}${fault}`, scene.width));
  }
  const hidden = found.faults.length - FAULTS_SHOWN;
  if (hidden > 0) lines.push(scene.style.dim(`         … ${count(hidden)} more (--json)`));
  return [...lines, ...next(found, scene)];
}

function headline(found: VerifyResponse): string {
  const { rows_compared, sampled, snapshot, took_ms, equal, deep_documents: deep } = found;
  const { skipped_rows: skipped } = found;
  const rows = plural(rows_compared, 'row');
  const of = sampled ? `a sample of ${rows}` : rows;
  const target = snapshot === null ? 'the empty table' : `snapshot ${snapshotName(snapshot)}`;
  const verdict = sampled ? 'nothing differs in it' : 'the index equals the table';
  const says = equal ? verdict : 'the index differs from the table';
  const again = deep === undefined ? '' : `, ${plural(deep, 'document')} indexed again`;
  const without = skipped === undefined ? '' : ` (and ${plural(skipped, 'skipped row')})`;
  return `${of}${without} compared with ${target}${again} in ${duration(took_ms)}: ${says}`;
}

function repairLine({ repaired }: VerifyResponse): readonly string[] {
  if (repaired === undefined) return [];
  const { added, replaced, deleted } = repaired;
  if (added + replaced + deleted === 0) return [];
  const done = [
    `${count(added)} added`,
    `${count(replaced)} replaced`,
    `${count(deleted)} deleted`,
  ];
  return [`repaired: ${done.join(', ')}; verified again:`];
}

const MEANING = {
  missing: ['row', 'without a document'],
  extra: ['document', 'without a row'],
  stale: ['document', 'unlike the row of its key'],
} as const;

function drift(
  kind: 'missing' | 'extra' | 'stale',
  n: number,
  keys: readonly Coordinates[],
  { style, width }: VerifyScene,
): readonly string[] {
  if (n === 0) return [];
  const [noun, what] = MEANING[kind];
  const shown = keys.slice(0, KEYS_SHOWN).map((key) => cut(`         ${formatKey(key)}`, width));
  const more = n - shown.length;
  return [
    `${style.yellow(kind.padEnd(9))}${plural(n, noun)} ${style.dim(what)}`,
    ...shown,
    ...(more > 0 ? [style.dim(`         … ${count(more)} more`)] : []),
  ];
}

function next(found: VerifyResponse, { index, sync }: VerifyScene): readonly string[] {
  if (found.equal) return [];
  const isLost = found.faults.every((fault) => fault.includes(' is lost or damaged: a repair '));
  if (found.faults.length > 0 && !isLost) return [`next: lhs index reindex ${index}`];
  if (sync !== undefined) return [`next: ${sync}`];
  if (found.sampled) return [`next: lhs index verify ${index}`];
  if (found.repaired !== undefined) return [`next: lhs index reindex ${index}`];
  return [`next: lhs index verify ${index} --repair`];
}
