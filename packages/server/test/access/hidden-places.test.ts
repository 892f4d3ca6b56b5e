/** Answers and errors name no folder and no host of the service. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContractTable } from '../../../../test/contract/table.ts';
import { type Answer, restCalls } from '../support/call-over.ts';
import { startService, type TestService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-hidden-'));
let service: TestService;
let removeTable = () => {};

beforeAll(async () => {
  const table = await createContractTable();
  removeTable = table.remove;
  service = await startService({
    auth: false,
    values: { backup_target: join(folder, 'backups') },
    names: {
      catalogs: {
        gone: { type: 'filesystem', warehouse: join(folder, 'no-lake') },
        away: { type: 'rest', uri: 'http://127.0.0.1:9/catalog' },
      },
      roots: { lake: join(folder, 'no-root') },
    },
    prepare: async (backend) => {
      await backend.createIndex({ definition: table.definition('notes') });
      await backend.reindex({ index: 'notes' });
    },
  });
});
afterAll(async () => {
  await service.stop();
  removeTable();
  rmSync(folder, { recursive: true, force: true });
});

const call = (operation: Parameters<ReturnType<typeof restCalls>>[0], request: object) =>
  restCalls(service.server.url)(operation, request);

describe('an answer or an error', () => {
  it.each([
    ['listBackups', { prefix: 'nothing' }, '<backup target>/nothing'],
    ['restore', { index: 'notes', backup: 'none' }, ''],
    ['backup', { index: 'notes' }, '<backup target>'],
    ['restore', { index: 'notes', backup: 'none', as: 'x' }, '<backup target>'],
    ['listTables', { catalog_name: 'gone' }, '<catalog gone>'],
    ['describeSource', { catalog_name: 'gone', table: 'ops.rows' }, ''],
    ['listTables', { catalog_name: 'away' }, ''],
  ] as const)('of %s %j names no folder and no host', async (operation, request, shown) => {
    const { body }: Answer = await call(operation, request);
    const text = JSON.stringify(body);
    expect(text).toContain(shown);
    expect(text).not.toContain(folder);
    expect(text).not.toContain(service.folder);
    expect(text).not.toContain('127.0.0.1');
  });
});
