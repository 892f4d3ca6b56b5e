import type { Operation } from '@lakehouse-search/contract/internal';
import { expect } from 'vitest';
import type { Answer } from '../support/call-over.ts';

/** Who calls. `both`: reader and operator; `scoped`: all roles for another index; a tenant. */
export type Caller = 'none' | 'reader' | 'both' | 'admin' | 'scoped' | 'tenant';

/** A JSON value whose fields are read without further checks: a wrong one fails the test. */
export type Loose = ReturnType<typeof JSON.parse>;

/** The service as one row of the interface sees it, over one transport. */
export interface Ask {
  readonly transport: 'rest' | 'grpc';
  /** Address of REST. */
  readonly url: string;
  /** Shards of each index of the service. */
  readonly shards: number;
  /** The answer, whatever its status. */
  (operation: Operation, request?: object, caller?: Caller): Promise<Answer>;
  /** The body of a success. */
  ok(operation: Operation, request?: object, caller?: Caller): Promise<Loose>;
  /** The message of a refusal with this status. */
  refused(status: number, operation: Operation, request?: object, caller?: Caller): Promise<string>;
  /** A request of REST as it is: status, headers and body. */
  http(method: string, path: string, init?: RequestInit): Promise<Response>;
}

/** One line of the interface. Its value is compared between REST and gRPC. */
export interface Row {
  readonly line: string;
  readonly check: (ask: Ask) => Promise<unknown>;
  /** There is no gRPC side of it. */
  readonly restOnly?: true;
  /** A cluster under a control plane refuses this request instead. */
  readonly led?: Refusal;
}

/** A request that is refused with a status. */
export interface Refusal {
  readonly status: number;
  readonly operation: Operation;
  readonly request: object;
}

/** Rows of one section of the interface, and the file that has them. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export const row = (line: string, check: Row['check']): Row => ({ line, check });
export const restRow = (line: string, check: Row['check']): Row => ({
  line,
  check,
  restOnly: true,
});

/** A row of a service whose indexes are not under a control plane; there, its request is refused. */
export const unlessLed = (own: Row, led: Refusal): Row => ({ ...own, led });

/** The index of most rows. */
export const INDEX = { index: 'tickets' };
export const keyOf = (id: string) => ({ identifier: [{ name: 'id', value: id }] });
/** The ids of hits. */
export const idsOf = (body: Loose): string[] =>
  body.hits.map((hit: Loose) => hit.coordinates.identifier[0].value);

/** Fails unless a value has all these fields. */
export function expectFields(value: object, ...names: readonly string[]): void {
  expect(Object.keys(value)).toEqual(expect.arrayContaining([...names]));
}
