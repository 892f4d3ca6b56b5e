import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatJson } from '../base/json.ts';
import { createInCatalog, newTableLocation } from './create-table.ts';
import { listTables, loadTable } from './load-table.ts';

/**
 * A server that speaks enough of PostgreSQL's protocol 3.0 for the driver `pg`, and lets SQLite
 * answer: it shows that our statements, placeholders and row counts survive the driver.
 * Messages: type byte, length, body.
 */
class PostgresLike {
  readonly database = new Database(':memory:');
  readonly statements: string[] = [];
  /** Refuses the connection with this text. */
  refusal: string | null = null;
  private sql = '';
  private values: string[] = [];

  serve(socket: Socket): void {
    let pending = Buffer.alloc(0);
    let started = false;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const head = started ? 1 : 0;
        if (pending.length < head + 4) return;
        const size = head + pending.readInt32BE(head);
        if (pending.length < size) return;
        const type = started ? String.fromCharCode(pending[0]!) : 'startup';
        const body = pending.subarray(head + 4, size);
        pending = pending.subarray(size);
        started = true;
        if (type === 'X') return void socket.end();
        socket.write(this.answer(type, body));
      }
    });
  }

  private answer(type: string, body: Buffer): Buffer {
    switch (type) {
      case 'startup':
        if (this.refusal !== null) {
          return message('E', Buffer.from(`SFATAL\0C28P01\0M${this.refusal}\0\0`));
        }
        return Buffer.concat([message('R', int32(0)), ready()]);
      case 'Q':
        this.sql = body.toString('utf8', 0, body.length - 1);
        this.values = [];
        return Buffer.concat([this.describe(), this.execute(), ready()]);
      case 'P':
        this.sql = body.toString('utf8').split('\0')[1]!;
        return message('1');
      case 'B':
        this.values = boundValues(body);
        return message('2');
      case 'D':
        return this.describe();
      case 'E':
        return this.execute();
      case 'S':
        return ready();
      default:
        return Buffer.alloc(0);
    }
  }

  private statement() {
    return this.database.prepare(this.sql.replace(/\$(\d+)/g, '?$1'));
  }

  private describe(): Buffer {
    const statement = this.statement();
    if (!statement.reader) return message('n');
    const columns = statement
      .columns()
      .map(({ name }) =>
        Buffer.concat([
          Buffer.from(`${name}\0`),
          int32(0),
          int16(0),
          int32(25),
          int16(-1),
          int32(-1),
          int16(0),
        ]),
      );
    return message('T', int16(columns.length), ...columns);
  }

  private execute(): Buffer {
    this.statements.push(this.sql);
    const statement = this.statement();
    const bound = Object.fromEntries(this.values.map((value, i) => [String(i + 1), value]));
    if (!statement.reader) {
      const { changes } = statement.run(bound);
      const tag = this.sql.startsWith('INSERT') ? `INSERT 0 ${changes}` : `UPDATE ${changes}`;
      return message('C', Buffer.from(`${tag}\0`));
    }
    const rows = statement.raw().all(bound) as (string | null)[][];
    const data = rows.map((row) =>
      message('D', int16(row.length), ...row.map((v) => (v === null ? int32(-1) : lengthed(v)))),
    );
    return Buffer.concat([...data, message('C', Buffer.from(`SELECT ${rows.length}\0`))]);
  }
}

const int16 = (n: number) => Buffer.from([(n >> 8) & 255, n & 255]);
const int32 = (n: number) =>
  Buffer.from([(n >> 24) & 255, (n >> 16) & 255, (n >> 8) & 255, n & 255]);
const lengthed = (text: string) =>
  Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);
const message = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const ready = () => message('Z', Buffer.from('I'));

function boundValues(body: Buffer): string[] {
  let at = body.indexOf(0, body.indexOf(0) + 1) + 1;
  at += 2 + 2 * body.readInt16BE(at);
  const values: string[] = [];
  const count = body.readInt16BE(at);
  at += 2;
  for (let i = 0; i < count; i++) {
    const length = body.readInt32BE(at);
    values.push(body.toString('utf8', at + 4, at + 4 + length));
    at += 4 + length;
  }
  return values;
}

describe('a PostgreSQL catalog', () => {
  let server: Server;
  let fake: PostgresLike;
  let root: string;
  let uri: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lake-postgres-'));
    fake = new PostgresLike();
    server = createServer((socket) => fake.serve(socket));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    uri = `postgresql+psycopg2://user:secret@127.0.0.1:${port}/db`;
  });
  afterEach(async () => {
    await new Promise((done) => server.close(done));
    await rm(root, { recursive: true, force: true });
  });

  it('creates, lists, loads and commits, and one of two rivals wins', async () => {
    const catalog = { type: 'sql' as const, uri, name: 'c', warehouse: root };
    const location = await newTableLocation(catalog, 'n.t');
    const json = formatJson({
      'format-version': 2,
      location,
      'last-updated-ms': 1,
      'last-column-id': 0,
      'current-schema-id': 0,
      schemas: [{ type: 'struct', 'schema-id': 0, fields: [] }],
      'partition-specs': [{ 'spec-id': 0, fields: [] }],
    });
    const table = await createInCatalog(catalog, 'n.t', json);
    await expect(createInCatalog(catalog, 'n.t', json)).rejects.toHaveProperty(
      'reason',
      'table_exists',
    );
    expect((await listTables(catalog)).tables).toEqual(['n.t']);
    const rival = await loadTable({ catalog, table: 'n.t' });
    const next = await table.commit!.commitMetadata(json);
    expect(next.metadata.file).toMatch(/00001-/);
    await expect(rival.commit!.commitMetadata(json)).rejects.toHaveProperty(
      'reason',
      'commit_conflict',
    );
    expect((await rival.refresh()).metadata.file).toBe(next.metadata.file);
    await expect(loadTable({ catalog, table: 'n.x' })).rejects.toMatchObject({
      reason: 'table_not_found',
      message: expect.not.stringContaining('secret'),
    });
    expect(fake.statements.some((sql) => sql.includes('$6'))).toBe(true);
  });

  it('masks a password that the server sends back', async () => {
    fake.refusal = 'wrong password "secret"';
    const error = await listTables({ type: 'sql', uri }).catch((e: Error) => e);
    const { message: said, stack, cause } = error as Error;
    expect(said).toContain('wrong password "***"');
    expect([said, stack, String(cause)].join()).not.toContain('secret');
  });
});
