/** One request to the adapter: its parts, and the operations that run under its caller. */
import type { CallContext, Json } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Calls } from '../../calls/calls.ts';
import type { Span } from '../../observe/trace-context.ts';
import { contextOf, signalOf } from '../../rest/call-context.ts';
import { arrivalOf, notesOf } from '../../rest/rest-call.ts';
import type { UrlParams } from '../base/read-json.ts';
import type { Reads } from '../base/reads.ts';
import { illegal } from '../query/refusal.ts';
import type { Descriptions } from './descriptions.ts';
import type { OpenScrolls } from './open-scrolls.ts';

/** A request whose caller may use the operation of its endpoint. */
export interface AdapterCall {
  readonly method: string;
  readonly path: UrlParams;
  readonly params: UrlParams;
  readonly body: Json | undefined;
  readonly accept: string | undefined;
  readonly version: string;
  /** The subject of the caller, or its address. */
  readonly caller: string;
  readonly scrolls: OpenScrolls;
  /** The operations of the service; `timeoutMillis` shortens the deadline of the request. */
  reads(timeoutMillis?: number): Reads;
  /**
   * Begins another operation: each search of a list counts as one. What comes back ends it before
   * the request has been answered.
   */
  begin(operation: Operation, index?: string): Promise<() => void>;
  /** Notes the index of the request for its record. */
  noteIndex(index: string): void;
}

/** The parts that a call is made of. */
export interface CallParts {
  readonly calls: Calls;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly authorization: string | undefined;
  readonly body: Json | undefined;
  readonly version: string;
  readonly descriptions: Descriptions;
  readonly scrolls: OpenScrolls;
}

/**
 * Admits a request: caller, scope, limits. `release` is called once, when it has been answered.
 * Throws unauthenticated, permission_denied, overloaded, and for parameters and headers that cannot
 * be read; then nothing is left to release.
 */
export async function admit(
  parts: CallParts,
  operation: Operation,
): Promise<{ readonly call: AdapterCall; readonly release: () => void }> {
  const releases: (() => void)[] = [];
  const release = () => {
    for (const one of releases.splice(0)) one();
  };
  try {
    return { call: await admitted(parts, operation, releases), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The call of a request. `releases`: receives what frees its operations. */
async function admitted(
  parts: CallParts,
  operation: Operation,
  releases: (() => void)[],
): Promise<AdapterCall> {
  const { calls, request, reply, authorization, body, version, descriptions, scrolls } = parts;
  const path = request.params as UrlParams;
  const notes = notesOf(request);
  notes.operation = operation;
  if (path.index !== undefined) notes.index = path.index;
  const begin = async (name: Operation, index?: string) => {
    const named = index === undefined ? {} : { index };
    const { principal, release } = await calls.begin(
      name,
      arrivalOf(request),
      authorization,
      named,
    );
    const end = once(release);
    releases.push(end);
    return { principal, end };
  };
  const { principal } = await begin(operation, path.index);
  notes.subject = principal?.subject;
  notes.tenant = principal?.tenant;
  const context = { ...contextOf(request, principal), signal: signalOf(reply).signal };
  return {
    method: request.method,
    path,
    params: textsOf(request.query),
    body,
    accept: request.headers.accept,
    version,
    caller: principal === undefined ? `address:${request.ip}` : `subject:${principal.subject}`,
    scrolls,
    reads: (timeoutMillis) => {
      const reads = readsOf(calls, within(context, timeoutMillis), notes.span);
      const describeIndex: Reads['describeIndex'] = (named) =>
        descriptions.of(principal, named.index ?? '', () => reads.describeIndex(named));
      return { ...reads, describeIndex };
    },
    begin: async (name, index) => (await begin(name, index)).end,
    noteIndex: (index) => {
      notes.index = index;
    },
  };
}

function once(work: (() => void) | undefined): () => void {
  let left = work;
  return () => {
    const now = left;
    left = undefined;
    now?.();
  };
}

/** Parameters of the URL; one that comes twice is refused. */
function textsOf(query: unknown): UrlParams {
  const entries = Object.entries(query as Record<string, unknown>);
  for (const [name, value] of entries) {
    if (typeof value !== 'string') throw illegal(`parameter [${name.slice(0, 100)}] comes twice`);
  }
  return Object.fromEntries(entries) as UrlParams;
}

function within(context: CallContext, millis: number | undefined): CallContext {
  if (millis === undefined) return context;
  const own = Date.now() + millis;
  return { ...context, deadline: Math.min(own, context.deadline ?? own) };
}

function readsOf(calls: Calls, context: CallContext, span: Span): Reads {
  const run = (operation: Operation) => (request?: unknown) =>
    calls.run(operation, request, context, span) as Promise<never>;
  return {
    search: run('search'),
    hybrid: run('hybrid'),
    aggregate: run('aggregate'),
    explain: run('explain'),
    getKeys: run('getKeys'),
    listIndexes: run('listIndexes'),
    listAliases: run('listAliases'),
    describeIndex: run('describeIndex'),
    openPit: run('openPit'),
    closePit: run('closePit'),
  };
}
