// @module-tag program
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findVersitygw, startVersitygw } from '../../../test/support/versitygw.ts';
import { loadTable } from '../src/catalog/load-table.ts';
import type { CatalogConfig } from '../src/source-table.ts';
import { importFiles } from '../src/write/writing.ts';
import {
  csv,
  idsOf,
  PYTHON,
  racing,
  range,
  rowsOfPyIceberg,
  script,
  wholeLife,
} from './remote-life.ts';

/** Writes into REST catalogs; PyIceberg is the catalog and the other reader. */
const root = mkdtempSync(join(tmpdir(), 'lhs-rest-writes-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

async function startCatalog(...args: readonly string[]) {
  const catalog = spawn(PYTHON, [script('rest-catalog.py'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(catalog.stdout, 'data')) as [Buffer];
  return { catalog, port: Number(line.toString()) };
}

describe.skipIf(!existsSync(PYTHON))('writes into a REST catalog', () => {
  let catalog: ChildProcess;
  let proxy: Server;
  let port: number;
  /** What becomes of the next commit: it is refused, or its answer is lost or no JSON. */
  let fault: 'conflict' | 'lost' | 'unreadable' | null = null;

  beforeAll(async () => {
    ({ catalog, port } = await startCatalog(root));
    proxy = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const isCommit = request.method === 'POST' && body.includes('"requirements"');
      const now = isCommit ? fault : null;
      if (isCommit) fault = null;
      if (now === 'conflict') return response.writeHead(409).end('{}');
      const { method, url } = request;
      const sent = { method, ...(method === 'POST' ? { body } : {}) };
      const answer = await fetch(`http://127.0.0.1:${port}${url}`, sent);
      const text = await answer.text();
      if (now === 'lost') return response.writeHead(502).end('bad gateway');
      if (now === 'unreadable') return response.writeHead(200).end('{"metadata": {');
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  });
  afterAll(() => {
    proxy?.close();
    catalog?.kill();
  });

  const rest = (): CatalogConfig => ({
    type: 'rest',
    uri: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  });

  it('create, add, replace, upsert, delete and compact rows', async () => {
    await wholeLife(root, rest(), 'made.life');
  });

  it('retry after another writer was faster', async () => {
    await racing(root, rest(), 'n.race');
    const source = { catalog: rest(), table: 'n.race' };
    fault = 'conflict';
    await importFiles({ ...source, files: [csv(root, '4.csv', [4])], mode: 'append' });
    expect(await idsOf(source)).toEqual([0, 1, 2, 3, 4]);
  });

  it('look for a commit whose answer was lost, also for the first one', async () => {
    const source = { catalog: rest(), table: 'n.lost' };
    fault = 'lost';
    await importFiles({ ...source, files: [csv(root, 'a.csv', [1])] });
    fault = 'lost';
    await importFiles({ ...source, files: [csv(root, 'b.csv', [2])], mode: 'append' });
    fault = 'unreadable';
    await importFiles({ ...source, files: [csv(root, 'c.csv', [3])], mode: 'append' });
    expect(await idsOf(source)).toEqual([1, 2, 3]);
    expect((await rowsOfPyIceberg(source)).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('leave no table and no object if they fail', async () => {
    const files = () => readdirSync(join(root, 'warehouse'), { recursive: true }).sort();
    const before = files();
    const source = { catalog: rest(), table: 'n.none' };
    fault = 'conflict';
    const refused = importFiles({ ...source, files: [csv(root, 'c.csv', [1])] });
    await expect(refused).rejects.toMatchObject({ reason: 'table_exists' });
    expect(files()).toEqual(before);
    await expect(loadTable(source)).rejects.toMatchObject({ reason: 'table_not_found' });
  });

  it('keep structs and lists', async () => {
    const file = join(root, 'deep.ndjson');
    const rows = range(0, 40).map((id) => ({ id, at: { a: { b: `${id}` }, c: [id] }, last: 1.5 }));
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
    const source = { catalog: rest(), table: 'n.deep' };
    await importFiles({ ...source, files: [file] });
    expect(await rowsOfPyIceberg(source)).toEqual(rows);
  });
});

const versitygw = findVersitygw();

describe.skipIf(!existsSync(PYTHON) || versitygw === null)(
  'a REST catalog whose tables are on S3',
  () => {
    it('has the table that one import makes', async () => {
      const gateway = await startVersitygw(versitygw!, 'lake');
      for (const [name, value] of Object.entries(gateway.env)) vi.stubEnv(name, value);
      const folder = mkdtempSync(join(root, 'rest-'));
      const { catalog, port } = await startCatalog(folder, 's3://lake/rest');
      try {
        await wholeLife(root, { type: 'rest', uri: `http://127.0.0.1:${port}` }, 'made.life');
      } finally {
        catalog.kill();
        gateway.close();
      }
    });
  },
);
