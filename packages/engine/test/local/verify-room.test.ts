import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { limitMemory } from '@lakehouse-search/lake/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RestCatalog } from '../../../../test/support/rest-catalog.ts';

let folder: string;
let catalog: RestCatalog;
const opened: LocalEngine[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-verify-room-'));
  catalog = new RestCatalog(join(folder, 'lake', 'ops', 'notes'));
});
afterEach(async () => {
  for (const backend of opened.splice(0)) await backend.close();
  await catalog.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<LocalEngine> {
  const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
  opened.push(backend);
  return backend;
}

/** Two indexes over the same table. */
async function makeIndexes(): Promise<void> {
  const local = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const fields = [{ id: 1, name: 'id', required: true, type: { kind: 'long' } as const }];
  const schema = { schemaId: 0, identifierFieldIds: [1], fields };
  await createTable(local, 'ops.notes', { schema });
  await appendRows({ catalog: local, table: 'ops.notes' }, { kind: 'rows', rows: [{ id: 1 }] });
  const source = `{ catalog: { type: rest, uri: "${await catalog.listen()}" }, table: ops.notes }`;
  const backend = await open();
  for (const index of ['first', 'second']) {
    const fields = 'fields: [{ name: id, type: LONG }]';
    await backend.createIndex({
      definition: `version: 1\nindex: ${index}\nsource: ${source}\n${fields}\n`,
      base_dir: folder,
    });
    await backend.reindex({ index });
  }
}

/** A verify of `first` that waits for its catalog, and one of `second` that began after it. */
async function startTwo(backend: LocalEngine) {
  catalog.hangs = true;
  const stop = new AbortController();
  const first = backend.verify({ index: 'first' }, { signal: stop.signal });
  first.catch(() => {});
  await vi.waitFor(() => expect(catalog.answers.at(-1)).toBe(0));
  catalog.hangs = false;
  const second = backend.verify({ index: 'second' });
  return { first, second, stop };
}

describe('verifies of two indexes', () => {
  it('run at once if the memory of the process holds them', async () => {
    await makeIndexes();
    const { first, second, stop } = await startTwo(await open());
    expect(await second).toMatchObject({ equal: true });
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('run one after the other in little memory', async () => {
    await makeIndexes();
    const release = limitMemory(256 * 2 ** 20);
    const small = await open();
    release();
    const { first, second, stop } = await startTwo(small);
    let ended = false;
    second.then(() => (ended = true));
    expect(await (await open()).verify({ index: 'second' })).toMatchObject({ equal: true });
    expect(ended).toBe(false);
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    expect(await second).toMatchObject({ equal: true });
  });
});
