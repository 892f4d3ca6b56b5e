/** Builds of an alter count in the memory of builds, as those of a reindex do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string' });
const index = 'notes';
const MIB = 2 ** 20;

describe('an alter by field', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-alter-memory-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const definition = (more: string) => `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(catalog)}, table: ops.notes }
fields:
  - { name: title, type: TEXT }
${more}`;
  const definition_yaml = definition('  - { name: word, type: KEYWORD, source: title }\n');
  const open = (mib: number) =>
    openEngine(join(folder, 'data'), { create: true, threads: 0, memory: { build: mib * MIB } });

  it('is refused if its memory does not fit, and made if it does', async () => {
    await createTable(catalog, 'ops.notes', { schema: SCHEMA });
    const rows = [1, 2, 3].map((id) => ({ id, title: `note ${id}` }));
    await appendRows({ catalog, table: 'ops.notes' }, { kind: 'rows', rows });
    const large = await open(224);
    await large.createIndex({ definition: definition('') });
    await large.reindex({ index });
    await large.close();
    const small = await open(200);
    const alter = { index, definition_yaml, apply: true };
    expect(await small.alterIndex({ ...alter, apply: false })).toMatchObject({ strategy: 'field' });
    await expect(small.alterIndex(alter)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: 'a build needs 224 MiB of memory, and may use 200 MiB here',
    });
    await small.close();
    const again = await open(224);
    expect(await again.alterIndex(alter)).toMatchObject({ strategy: 'field', applied: true });
    expect((await again.search({ index, query: 'word:"note 2"' })).total).toBe(1);
    await again.close();
  });
});
