/**
 * Alter by field beside a full reindex, over git.commits (443,726 rows): one KEYWORD field added
 * (of a column that no other field uses, or of one that is used), a TEXT field added, an analyzer
 * changed, a field dropped. Each round runs all of them in turns, in one thread; medians, and
 * ratios of seconds and of processor time.
 *
 *   node bench/alter-field.ts [rounds]
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { machine, median, need, SHARED, workFolder } from './shared.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const head = `version: 1
index: commits
source: { path: ${table} }
key: { partition: [repo], identifier: [sha] }
fields:
`;
const BASE = [
  'name: text, type: TEXT, source: [subject, body], analyzer: simple',
  'name: subject, type: TEXT, analyzer: english, cached: true',
  'name: repo, type: KEYWORD, fast: true, cached: true',
  'name: author, type: KEYWORD, fast: true',
  'name: authored_at, type: DATE, cached: true',
  'name: words, type: LONG',
];
const definition = (fields: readonly string[]) =>
  head + fields.map((field) => `  - { ${field} }\n`).join('');

/** What is measured: a name, the target, and the definition before and after. */
const CHANGES = [
  ['KEYWORD, a new column', 0.15, BASE, [...BASE, 'name: email, type: KEYWORD, source: origin_ip']],
  ['KEYWORD, a used column', 0.15, BASE, [...BASE, 'name: who, type: KEYWORD, source: author']],
  ['TEXT, simple', 0.5, BASE, [...BASE, 'name: body, type: TEXT, analyzer: simple']],
  ['TEXT, english', 0.5, BASE, [...BASE, 'name: body, type: TEXT, analyzer: english']],
  ['an analyzer', 0.5, BASE, [BASE[0], BASE[1].replace('english', 'standard'), ...BASE.slice(2)]],
  ['a dropped field', 0.02, BASE, BASE.slice(1)],
] as const;

const folder = workFolder();
const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
}

async function measured(work: () => Promise<unknown>): Promise<Measured> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpu: (user + system) / 1e6 };
}

const alter = (text: string) =>
  backend.alterIndex({ index: 'commits', definition_yaml: text, base_dir: folder, apply: true });

await backend.createIndex({ definition: definition(BASE), base_dir: folder });
await backend.reindex({ index: 'commits' });
const whole: Measured[] = [];
const changed = CHANGES.map((): Measured[] => []);
for (let round = 0; round < ROUNDS; round++) {
  whole.push(await measured(() => backend.reindex({ index: 'commits', threads: 1 })));
  for (const [i, [, , before, after]] of CHANGES.entries()) {
    changed[i].push(await measured(() => alter(definition(after))));
    await alter(definition(before));
  }
}
await backend.close();
rmSync(folder, { recursive: true, force: true });

const middle = (all: readonly Measured[]) => ({
  seconds: median(all.map((one) => one.seconds)),
  cpu: median(all.map((one) => one.cpu)),
});
const show = ({ seconds, cpu }: Measured) =>
  `${seconds.toFixed(2).padStart(6)} s, ${cpu.toFixed(2).padStart(5)} s of processor time`;
const base = middle(whole);
console.log(`${machine()}, ${ROUNDS} rounds`);
console.log(`${'a full reindex'.padEnd(24)} ${show(base)}`);
for (const [i, [name, target]] of CHANGES.entries()) {
  const own = middle(changed[i]);
  const ratios = [own.seconds / base.seconds, own.cpu / base.cpu].map((one) => one.toFixed(3));
  console.log(`${name.padEnd(24)} ${show(own)}: ${ratios.join(', ')} (target ${target})`);
}
