/**
 * The interface of the service, line by line, against a server wherever it listens: over REST and
 * over gRPC, whose answers have to be equal.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOver, grpcCalls, restCalls } from '../support/call-over.ts';
import { ACCESS_ROWS } from './access-rows.ts';
import { LIFECYCLE_ROWS } from './lifecycle-rows.ts';
import { QUERY_ROWS } from './query-rows.ts';
import type { Ask, Caller, Loose, Refusal, Row, Section } from './row.ts';
import { SEARCH_ROWS } from './search-rows.ts';

/** A closed service with the index `tickets`, the catalog `main` and a target of backups. */
export interface ConformanceTarget {
  /** Address of REST. */
  readonly url: string;
  /** HOST:PORT of gRPC. */
  readonly grpc: string;
  /** Shards of the index `tickets`, and of those that rows make. */
  readonly shards: number;
  /** The header of each caller. */
  readonly headers: Readonly<Record<Exclude<Caller, 'none'>, string>>;
  stop(): Promise<void>;
}

/** All sections. */
export const SECTIONS: readonly Section[] = [LIFECYCLE_ROWS, QUERY_ROWS, SEARCH_ROWS, ACCESS_ROWS];

/** Which rows a suite runs. */
export interface SuiteOptions {
  /** The service is a cluster under a control plane. */
  readonly isLed?: boolean;
  /** Default: all. */
  readonly sections?: readonly Section[];
  /** Another form of the service, whose responses to the same requests have to be equal. */
  readonly like?: () => Promise<ConformanceTarget>;
}

/** Runs rows against a service. */
export function conformanceSuite(
  name: string,
  start: () => Promise<ConformanceTarget>,
  { isLed = false, sections = SECTIONS, like }: SuiteOptions = {},
): void {
  describe(`the interface of ${name}`, () => {
    let targets: readonly ConformanceTarget[] = [];
    let asks: readonly [Ask, Ask, ...Ask[]];
    let close = () => {};
    beforeAll(async () => {
      targets = await Promise.all([start(), ...(like === undefined ? [] : [like()])]);
      const [target, ...others] = targets;
      const grpc = grpcCalls(target.grpc);
      close = grpc.close;
      const rest = (own: ConformanceTarget) => askOver(own, 'rest', restCalls(own.url));
      asks = [rest(target), askOver(target, 'grpc', grpc.call), ...others.map(rest)];
    });
    afterAll(async () => {
      close();
      for (const target of targets) await target.stop();
    });

    describe.each(sections.map((section) => [section.title, section] as const))(
      '%s',
      (_, section) => {
        it.each(section.rows.map((row) => [row.line, row] as const))('%s', (__, row) =>
          isLed && row.led !== undefined ? refused(asks.slice(0, 2), row.led) : held(asks, row),
        );
      },
    );
  });
}

async function held([rest, grpc, like]: readonly Ask[], row: Row): Promise<void> {
  const one = masked(await row.check(rest));
  if (like !== undefined) {
    const other = ofAnotherTable(masked(await row.check(like)));
    expect(ofAnotherTable(one), 'as the other form of the service').toEqual(other);
  }
  if (row.restOnly === true) return;
  const other = masked(await row.check(grpc));
  expect(other, 'over gRPC').toEqual(one);
}

async function refused(asks: readonly Ask[], { status, operation, request }: Refusal) {
  for (const ask of asks) await ask.refused(status, operation, request);
}

const VARYING: ReadonlySet<string> = new Set([
  ...['took_ms', 'timings', 'lag_checked_ms', 'lag_snapshots', 'created_at', 'updated_at'],
  ...['created_ms', 'id', 'pit_id', 'expires_at', 'index_generation', 'generation', 'checkpoint'],
  ...['segments', 'deleted_docs', 'bytes', 'num_docs', 'shards', 'generations'],
]);

/** What two tables of the same rows do not have in common, and what one form says in addition. */
const OF_TABLE: ReadonlySet<string> = new Set([
  ...['snapshot', 'table_uuid', 'uuid', 'location', 'source', 'at', 'from', 'to'],
  ...['bytes_read', 'hydrate_bytes', 'head', 'lag', 'embeddings', 'hint', 'synced_by'],
]);

/** A value without times, ids, and what the rows before have changed. */
function masked(value: unknown): unknown {
  const text = textWithout(value, VARYING);
  return JSON.parse(text.replaceAll(/-(rest|grpc)\b/g, ''));
}

const ofAnotherTable = (value: unknown): unknown => JSON.parse(textWithout(value, OF_TABLE));

const textWithout = (value: unknown, names: ReadonlySet<string>): string =>
  JSON.stringify(value ?? null, (name, one) => (names.has(name) ? undefined : one));

function askOver(target: ConformanceTarget, transport: Ask['transport'], over: CallOver): Ask {
  const headersOf = (caller: Caller): Record<string, string> =>
    caller === 'none' ? {} : { authorization: target.headers[caller] };
  const call = (operation: Operation, request: object = {}, caller: Caller = 'admin') =>
    over(operation, request, headersOf(caller));
  return Object.assign(call, {
    transport,
    url: target.url,
    shards: target.shards,
    async ok(operation: Operation, request?: object, caller?: Caller) {
      const { status, body } = await call(operation, request, caller);
      expect(status, `${operation}: ${JSON.stringify(body)}`).toBe(
        OPERATIONS[operation].status ?? 200,
      );
      return body;
    },
    async refused(wanted: number, operation: Operation, request?: object, caller?: Caller) {
      const { status, body } = await call(operation, request, caller);
      expect(status, `${operation}: ${JSON.stringify(body)}`).toBe(wanted);
      return (body as Loose).error.message;
    },
    http(method: string, path: string, init: RequestInit = {}) {
      const headers = { ...headersOf('admin'), ...(init.headers as Record<string, string>) };
      return fetch(`${target.url}${path}`, { ...init, method, headers });
    },
  });
}

const SPEC = fileURLToPath(new URL('../../../../../shared/spec/interface.md', import.meta.url));

/** Paths that the interface names; undefined: its text is not beside this checkout. */
export function pathsOfInterface(): readonly string[] | undefined {
  if (!existsSync(SPEC)) return undefined;
  const text = readFileSync(SPEC, 'utf8');
  const found = text.matchAll(/`(?:(GET|POST|PUT|DELETE) )?(\/v1\/[\w:/{}-]+)`/g);
  return [...new Set([...found].map(([, , path]) => path))];
}
