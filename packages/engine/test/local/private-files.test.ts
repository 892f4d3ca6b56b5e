/** Files of a data folder hold texts of all tenants: no other user may read them. */
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createContractTable } from '../../../../test/contract/table.ts';
import { lockDataFolder } from '../../src/internal.ts';
import { openEngine } from '../../src/local-backend.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-private-'));
const data = join(folder, 'deep', 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Paths that the group or others may use, in the notation of chmod. */
function open(path: string): readonly string[] {
  return [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))]
    .map((each) => ({ each, mode: lstatSync(each).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ each, mode }) => `${mode.toString(8)} ${each.slice(path.length)}`);
}

describe('a data folder', () => {
  it('has no file and no folder that other users may read', async () => {
    const table = await createContractTable();
    const backend = await openEngine(data, {
      create: true,
      threads: 0,
      backupTarget: join(folder, 'backups'),
    });
    try {
      await backend.createIndex({ definition: table.definition('notes') });
      await backend.reindex({ index: 'notes' });
      await table.append('one more');
      await backend.sync({ index: 'notes' });
      await backend.backup({ index: 'notes' });
      await backend.restore({ index: 'notes', as: 'again' });
      await backend.openPit({ index: 'notes' });
      expect(open(join(folder, 'deep'))).toEqual([]);
    } finally {
      await backend.close();
      table.remove();
    }
  });

  it('that was copied while a server used it is free, and the first one is not', () => {
    const lock = lockDataFolder(data);
    const copy = join(folder, 'copy');
    cpSync(data, copy, { recursive: true });
    const other = lockDataFolder(copy);
    expect(() => lockDataFolder(data)).toThrow('is served by process');
    expect(() => lockDataFolder(copy)).toThrow('is served by process');
    other.release();
    lock.release();
  });
});
