import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { localFiles } from '../base/files/file-store.ts';
import { formatJson } from '../base/json.ts';
import { appendToTable, writeTable } from '../write/table-writer.ts';
import { loadFilesystemTable } from './filesystem.ts';
import { loadTable } from './load-table.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-old-metadata-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const schema = schemaOf({ id: 'long' });

async function tableOf(properties: Readonly<Record<string, string>>) {
  const catalog = { type: 'filesystem' as const, warehouse: folder };
  await writeTable(catalog, 'a.t', { schema, properties });
  return { catalog, table: 'a.t' };
}

const append = (config: Awaited<ReturnType<typeof tableOf>>, id: number) =>
  appendToTable(config, { kind: 'rows', rows: [{ id }] });

const versions = () =>
  readdirSync(join(folder, 'a/t/metadata'))
    .flatMap((name) => /^v(\d+)\.metadata\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

const REMOVING = {
  'write.metadata.delete-after-commit.enabled': 'true',
  'write.metadata.previous-versions-max': '3',
};

describe('old metadata files', () => {
  it('keeps all metadata files of a table without the property', async () => {
    const config = await tableOf({});
    for (let id = 0; id < 20; id++) await append(config, id);
    expect(versions()).toHaveLength(21);
  });

  it('keeps the newest metadata files of a table that limits them, and goes on', async () => {
    const config = await tableOf(REMOVING);
    for (let id = 0; id < 17; id++) await append(config, id);
    expect(versions()).toEqual([13, 14, 15, 16, 17, 18]);
    expect((await loadTable(config)).metadata.snapshots).toHaveLength(17);
  });

  it('refuses the commit of a writer whose version has been removed meanwhile', async () => {
    const config = await tableOf(REMOVING);
    // the writer has looked at the folder, and stalls before it creates its file
    const seen = await localFiles.entries(join(folder, 'a/t/metadata'));
    const store = { ...localFiles, entries: async () => seen };
    const slow = await loadFilesystemTable(config.catalog, 'a.t', { allowedRoots: [], store });
    for (let id = 0; id < 16; id++) await append(config, id);
    await expect(slow.commit?.commitMetadata(formatJson(slow.metadata.raw))).rejects.toMatchObject({
      reason: 'commit_conflict',
    });
    expect(versions()).toEqual([13, 14, 15, 16, 17]);
  });
});
