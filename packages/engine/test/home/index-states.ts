import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows } from '@lakehouse-search/lake';
import { openSmallLake } from '../../../../test/support/small-lake.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';

/** The folder of an index after each of some commits, every third a rebuild. Remove `home`. */
export async function makeStates(count: number): Promise<{
  readonly home: string;
  readonly states: readonly string[];
}> {
  const home = mkdtempSync(join(tmpdir(), 'lhs-homes-'));
  const lake = await openSmallLake();
  await lake.create({
    schemaId: 0,
    identifierFieldIds: [1],
    fields: [{ id: 1, name: 'id', required: true, type: { kind: 'string' } }],
  });
  await lake.define('fields: [{ name: id, type: KEYWORD }]');
  const states: string[] = [];
  for (let n = 0; n < count; n++) {
    await appendRows(lake.source, { kind: 'rows', rows: [{ id: `k${n}` }] });
    if (n % 3 === 0) await lake.backend.reindex({ index: 't' });
    else await lake.backend.sync({ index: 't' });
    const [uuid] = readdirSync(join(lake.folder, 'data', 'indexes'));
    cpSync(join(lake.folder, 'data', 'indexes', uuid!), join(home, `state-${n}`), {
      recursive: true,
    });
    states.push(join(home, `state-${n}`));
  }
  await lake.close();
  return { home, states };
}

/** The files of a generation by name; pins are of this process. */
export function contentOf(folder: string) {
  const { path, number } = currentGeneration(folder)!;
  const names = readdirSync(path).filter((name) => !/^(pin\.|verified)/.test(name));
  const files = names.map((name) => [name, readFileSync(join(path, name), 'hex')] as const);
  return { number, files: Object.fromEntries(files) };
}

/** Brings a folder to a state, as a sync or reindex does; what it knows of the store stays. */
export function advance(folder: string, state: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name !== 'published') rmSync(join(folder, name), { recursive: true });
  }
  mkdirSync(folder, { recursive: true });
  cpSync(state, folder, { recursive: true });
}
