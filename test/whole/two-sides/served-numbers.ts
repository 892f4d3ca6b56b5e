/** A server over a table with numbers that a double cannot hold, and the ways to send it a request. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, makeClientConstructor, type ServiceError } from '@grpc/grpc-js';
import { encodeMessage, METHODS } from '@lakehouse-search/client/internal';
import type { Operation } from '@lakehouse-search/contract/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { errorOfStatus } from '../../../packages/client/src/grpc/status-error.ts';
import { type RawResponse, sendRaw } from '../../../packages/server/test/support/raw-http.ts';
import { startService, type TestService } from '../../../packages/server/test/support/service.ts';
import { schemaOf } from '../../support/schema.ts';

/** 2^53. The next whole number is the first that a double rounds. */
export const LARGE = 9_007_199_254_740_992n;

const SCHEMA = schemaOf({ id: 'string', n: 'long', title: 'string' });

/** The server with its index `t`: rows `a` to `d`, of which `b` has the number 2^53 + 1. */
export interface ServedNumbers {
  readonly service: TestService;
  readonly warehouse: string;
  readonly definition: string;
  readonly backups: string;
  /** A POST of text or bytes; `type`: default JSON. */
  post(path: string, body: string | Uint8Array, type?: string): Promise<RawResponse>;
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<RawResponse>;
  /** A message over gRPC; what comes back is the error's words, or null. */
  grpc(operation: Operation, request: object, edit?: (bytes: Buffer) => Buffer): Promise<string>;
  stop(): Promise<void>;
}

/** Starts it. */
export async function serveNumbers(): Promise<ServedNumbers> {
  const warehouse = mkdtempSync(join(tmpdir(), 'lhs-two-sides-'));
  const catalog = { type: 'filesystem', warehouse } as const;
  await createTable(catalog, 'ops.t', { schema: SCHEMA });
  const rows = ['a', 'b', 'c', 'd'].map((id, i) => {
    return { id, n: i < 3 ? LARGE + BigInt(i) : null, title: `grün ${id}` };
  });
  await appendRows({ catalog, table: 'ops.t' }, { kind: 'rows', rows });
  const source = `{ catalog: ${JSON.stringify(catalog)}, table: ops.t }`;
  const fields = [
    'fields:',
    '  - { name: id, type: KEYWORD }',
    '  - { name: n, type: LONG, fast: true }',
    '  - { name: title, type: TEXT }',
    '',
  ].join('\n');
  const definition = `version: 1\nindex: t\nsource: ${source}\n${fields}`;
  const backups = join(warehouse, 'backups');
  const service = await startService({
    auth: false,
    values: { 'search_adapter.enabled': true, backup_target: backups },
    names: { catalogs: { main: catalog } },
    prepare: async (backend) => {
      await backend.createIndex({ definition });
      await backend.reindex({ index: 't' });
    },
  });
  const { url, grpc } = service.server;
  const accept = 'application/json, text/event-stream';
  const post = (path: string, body: string | Uint8Array, type = 'application/json') =>
    sendRaw(url, path, { method: 'POST', headers: { 'content-type': type, accept }, body });
  return {
    ...{ service, warehouse, definition, backups, post },
    get: (target, headers = {}) => sendRaw(url, target, { headers }),
    grpc: (operation, request, edit = same) => sent(grpc, operation, request, edit),
    async stop() {
      await service.stop();
      rmSync(warehouse, { recursive: true, force: true });
    },
  };
}

const same = (bytes: Buffer): Buffer => bytes;

function sent(
  address: string,
  operation: Operation,
  request: object,
  edit: (bytes: Buffer) => Buffer,
): Promise<string> {
  const { input, path } = METHODS[operation];
  const client = new (makeClientConstructor({}, ''))(address, credentials.createInsecure());
  const bytes = edit(Buffer.from(encodeMessage(input, request)));
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, bytes, (error: ServiceError | null) => {
      client.close();
      resolve(error === null ? 'answered' : errorOfStatus(error).message);
    });
  });
}
