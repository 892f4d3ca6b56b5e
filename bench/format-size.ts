/**
 * What an index takes on disk, component by component, in bytes and per row, beside the data files
 * of its table. With LHS_BENCH_FORMER, another data folder with the same index, for example before
 * `lhs index upgrade`: its sizes in a column before.
 *
 *   node bench/format-size.ts
 */
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { openTable } from '@lakehouse-search/lake';
import { readCommit } from '../packages/engine/src/index/commits/commit.ts';
import { currentGeneration, indexFolder } from '../packages/engine/src/open/index-folder.ts';
import { Registry } from '../packages/engine/src/registry/registry.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { commitsIndex, machine, need, SHARED } from './shared.ts';

interface Sizes {
  readonly docs: number;
  readonly bytes: ReadonlyMap<string, number>;
}

/** Bytes by component; those of fields under the field's name. */
async function sizesOf(data: string, index: string): Promise<Sizes> {
  const backend = await openEngine(data, { create: true, threads: 0 });
  await backend.close();
  const registry = new Registry(data);
  const folder = indexFolder(data, registry.get(index).uuid);
  registry.close();
  const commit = readCommit(openLocalDirectory(currentGeneration(folder)!.path))!;
  const bytes = new Map<string, number>();
  let docs = 0;
  for (const segment of commit.segments) {
    docs += segment.docs;
    for (const { kind, field, length } of segment.components) {
      const name = commit.fields.find(({ id }) => id === field)?.name;
      const label = name === undefined ? kind : `${kind} of ${name}`;
      bytes.set(label, (bytes.get(label) ?? 0) + length);
    }
  }
  return { docs, bytes };
}

/** Bytes of the data files of git.commits at its current snapshot. */
async function tableBytes(): Promise<number> {
  const path = need(`${SHARED}/iceberg/git.commits`, 'the shared folder');
  const table = await openTable({ path });
  const { files } = await table.files(table.currentSnapshotId);
  await table.close();
  return files.reduce((sum, { data }) => sum + data.fileSize, 0);
}

const total = ({ bytes }: Sizes): number => [...bytes.values()].reduce((sum, n) => sum + n, 0);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;

function line(name: string, now: number, docs: number, before?: number): void {
  const perRow = `${(now / docs).toFixed(2)} per row`;
  const then = before === undefined ? '' : `   before ${megabytes(before).padStart(9)}`;
  console.log(`${name.padEnd(22)} ${megabytes(now).padStart(9)}  ${perRow.padStart(14)}${then}`);
}

const { data, index } = commitsIndex();
const now = await sizesOf(data, index);
const { LHS_BENCH_FORMER: folder } = process.env;
const former = folder === undefined ? null : await sizesOf(folder, index);
console.log(machine());
const names = new Set([...now.bytes.keys(), ...(former?.bytes.keys() ?? [])]);
const before = (name: string) => (former === null ? undefined : (former.bytes.get(name) ?? 0));
for (const name of [...names].sort()) {
  line(name, now.bytes.get(name) ?? 0, now.docs, before(name));
}
const KEYS = ['core', 'keys', 'hashes', 'locators'];
const keysOf = ({ bytes }: Sizes): number =>
  KEYS.reduce((sum, name) => sum + (bytes.get(name) ?? 0), 0);
line('keys, hashes, locators', keysOf(now), now.docs, former === null ? undefined : keysOf(former));
line('index', total(now), now.docs, former === null ? undefined : total(former));
line('data files of the table', await tableBytes(), now.docs);
