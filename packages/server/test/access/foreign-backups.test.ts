import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContractTable } from '../../../../test/contract/table.ts';
import { restCalls } from '../support/call-over.ts';
import { startService, type TestService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-foreign-'));
const backups = join(folder, 'backups');
let service: TestService;
let removeTable = () => {};

beforeAll(async () => {
  const table = await createContractTable();
  removeTable = table.remove;
  service = await startService({
    auth: false,
    values: { backup_target: backups },
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

describe('a backup that somebody else has written', () => {
  it('brings a server no definition that its configuration does not name', async () => {
    const call = restCalls(service.server.url);
    expect((await call('backup', { index: 'notes' })).status).toBe(200);
    expect((await call('restore', { index: 'notes', as: 'own' })).status).toBe(200);
    const pins = readdirSync(join(backups, 'pins'), { recursive: true }) as string[];
    const path = join(backups, 'pins', pins.find((name) => name.endsWith('.json'))!);
    const [, body] = readFileSync(path, 'utf8').split('\n');
    const sha256 = createHash('sha256').update(body).digest('hex');
    const head = JSON.stringify({ format: 'lhs-backup', version: 2, sha256 });
    writeFileSync(path, `${head}\n${body}\n`);
    const { status, body: refused } = await call('restore', { index: 'notes', as: 'evil' });
    expect(status).toBe(400);
    expect(JSON.stringify(refused)).toContain('has not signed the backup');
  });
});
