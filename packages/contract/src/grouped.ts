import type { BackendApi, SearchApi } from './backend.ts';
import type { CallContext } from './call.ts';
import type { HitReader } from './each-hit.ts';
import type { OPERATIONS } from './operations.ts';
import type { HybridRequest } from './search/request.ts';
import type { HybridResponse } from './search/response.ts';
import type { Operation, ServiceApi } from './service.ts';
import type { Defining, DefinitionApi } from './typed/definition-source.ts';

type LibraryApi = Omit<ServiceApi, Defining> & DefinitionApi;
type MemberOf<K extends Operation> = NonNullable<(typeof OPERATIONS)[K]['member']>;
/** The name of an operation in a group; reads of an index are in none. */
type NameIn<G extends string, K extends Operation> = [MemberOf<K>] extends [never]
  ? never
  : MemberOf<K> extends `${G}.${infer M}`
    ? M
    : never;
/** The operations of a group, by their names in it. */
type Members<G extends string> = {
  readonly [K in Operation as NameIn<G, K>]: LibraryApi[K];
};

/**
 * An embedded engine or a service. Reads of an index are its methods, all other operations are in
 * groups. Each checks its request and its call, and throws `LhsError`.
 */
export interface Backend extends SearchApi, HitReader {
  /** The documents of a text's words and of its meaning, fused. */
  hybrid(request: HybridRequest, call?: CallContext): Promise<HybridResponse>;
  /** Indexes: their definitions, and how they follow their tables. */
  readonly indexes: Members<'indexes'>;
  /** Other names of indexes. */
  readonly aliases: Members<'aliases'>;
  /** Query strings, texts and their tokens. */
  readonly queries: Members<'queries'>;
  /** Queries that the caller has saved. */
  readonly savedQueries: Members<'savedQueries'>;
  /** Tables of a lakehouse, before there is an index over them. */
  readonly sources: Members<'sources'>;
  /** Long operations that run on while the caller does something else. */
  readonly jobs: Members<'jobs'>;
  /** Copies of indexes in a folder or an object store. */
  readonly backups: Members<'backups'>;
  /** Windows of indexes whose definition has them. */
  readonly windows: Members<'windows'>;
  /** Proof that deleted rows are gone. */
  readonly erasure: Members<'erasure'>;
  /** Points in time: an index at one commit. */
  readonly pits: Members<'pits'>;
  /** Refuses new calls, ends followers, and waits for the others. */
  close(): Promise<void>;
}

/** A service: a backend with accounts, and what no single index answers. */
export interface Service extends Backend {
  /** Users, roles, tokens and sessions. */
  readonly accounts: Members<'accounts'>;
  /** The service as a whole. */
  readonly cluster: Members<'cluster'>;
}

type Rows = Readonly<Record<Operation, { readonly member?: string | undefined }>>;

/** The operations of an engine or a client, grouped as `rows` of the table of operations say. */
export function grouped(api: LibraryApi & HitReader, rows: Rows): Service;
/** The same of an engine, which has no accounts. */
export function grouped(api: Pick<LibraryApi, keyof BackendApi> & HitReader, rows: Rows): Backend;
/** Operations that the object lacks are left out. */
export function grouped(api: HitReader & Pick<BackendApi, 'close'>, rows: Rows): object {
  const methods: Readonly<Record<string, unknown>> = { ...api };
  const found: Record<string, Record<string, unknown>> = {};
  for (const [operation, { member = `.${operation}` }] of Object.entries(rows)) {
    const [group = '', name = ''] = member.split('.');
    if (operation in api) (found[group] ??= {})[name] = methods[operation];
  }
  const { '': reads, ...groups } = found;
  const close = () => api.close();
  return Object.freeze({
    ...reads,
    ...Object.fromEntries(Object.entries(groups).map(([key, g]) => [key, Object.freeze(g)])),
    hits: (...call: Parameters<HitReader['hits']>) => api.hits(...call),
    close,
    [Symbol.asyncDispose]: close,
  });
}
