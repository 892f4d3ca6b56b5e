/** A data folder that cannot be written, as on a disk that is mounted read-only. */
import { chmodSync, lchownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asNobody, isRoot, NOBODY } from '../../../test/support/as-nobody.ts';
import { serveAll } from '../src/serve/serve-all.ts';
import { serverOptions } from '../src/serve/server-options.ts';
import { createTickets, TICKET_FIELDS, TICKETS } from './support/tickets.ts';

const home = mkdtempSync(join(tmpdir(), 'lhs-unwritable-'));
const folder = join(home, 'data');
let warehouse: string;

/** Every entry below a folder, and the folder. */
const entries = (below: string): readonly string[] => [
  below,
  ...readdirSync(below, { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    return entry.isDirectory() ? entries(path) : [path];
  }),
];

/** Root runs the tests as another user, who may lack the right to enter the folder of this clone. */
const canEnterClone = await asNobody(async () => statSync(import.meta.filename).isFile()).catch(
  () => false,
);

beforeAll(async () => {
  const tickets = await createTickets();
  const catalog = JSON.stringify(tickets.source.catalog);
  warehouse = tickets.warehouse;
  const backend = await openEngine(folder, { create: true, threads: 0 });
  const source = `source: { catalog: ${catalog}, table: ops.tickets }`;
  const definition = `version: 1\nindex: tickets\n${source}\n${TICKET_FIELDS}`;
  await backend.createIndex({ definition });
  await backend.reindex({ index: 'tickets' });
  await backend.close();
  for (const path of [home, ...entries(folder), ...entries(warehouse)]) {
    if (isRoot) lchownSync(path, NOBODY, NOBODY);
    chmodSync(path, 0o500);
  }
});
afterAll(() => {
  for (const path of [home, ...entries(folder), ...entries(warehouse)]) chmodSync(path, 0o700);
  for (const path of [home, warehouse]) rmSync(path, { recursive: true });
});

describe.skipIf(!canEnterClone)('a data folder that cannot be written', () => {
  it('is verified, without the record of a job', async () => {
    await asNobody(async () => {
      const backend = await openEngine(folder, { create: true, threads: 0 });
      const verified = await backend.verify({ index: 'tickets', deep: true });
      expect(verified).toMatchObject({ equal: true, faults: [] });
      await expect(backend.verify({ index: 'tickets', repair: true })).rejects.toMatchObject({
        code: 'io_error',
      });
      await backend.close();
    });
  });

  it('is served, and searched', async () => {
    await asNobody(async () => {
      const values = {
        ...{ rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0', threads: 0, sync_poll_ms: 50 },
        ...{ 'log.level': 'silent', 'log.access': false, 'console.enabled': false },
      };
      const server = await serveAll({
        options: serverOptions(values, {}, folder),
        names: { catalogs: {}, roots: {}, models: {} },
        ...{ issuers: [], env: {} },
      });
      const search = await fetch(`${server.url}/v1/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ index: 'tickets', query: '*:*' }),
      });
      expect(await search.json()).toMatchObject({ total: TICKETS.length });
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      await server.stop();
    });
  });
});
