/**
 * What a node of a cluster answers about its shards: which commits can be read, and reads of one
 * commit in the byte form of shard/bytes.ts. The coordinator is elsewhere; the tenant of the caller
 * is enforced here.
 */
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { valueFromBytes, valueToBytes } from '../../base/bytes/value-bytes.ts';
import { identityParts } from '../../index/commits/source-identity.ts';
import { describeShards } from '../../open/describe-index.ts';
import { commitVersion, type KnownIndex, type OpenIndex } from '../../open/open-index.ts';
import { definitionDigest, rowsDigest } from '../../schema/definition-digest.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import type { LocalContext } from '../../search/context.ts';
import type { RequestedRow } from '../../search/fetch/rows.ts';
import { decodeRequest, encodeAnswer, errorToPlain } from '../../shard/bytes.ts';
import { tenantFilter } from '../../shard/request/tenant-filter.ts';
import type { Shard, ShardOperation } from '../../shard/shard.ts';
import { holdColdBytes } from '../../storage/cold-cache.ts';
import { accessible, refuseTenants } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { sideContext } from '../reads/diff-side.ts';
import { holdPit } from '../reads/point-in-time.ts';
import { type CommitReadName, contextOf, READS_OF_COMMITS } from '../reads/reads.ts';
import { type HeldCommit, HeldCommits } from './held-commits.ts';
import { HeldSides, type SideRequest, type SideRowsRequest } from './held-sides.ts';

/** A commit that can be read. */
export interface ReadableCommit {
  readonly commit: string;
  readonly snapshot: string | null;
  readonly sequence: string;
  readonly generation: number;
  readonly docs: number;
  /** Bytes of its segments on disk. */
  readonly bytes: number;
  /** The shards that this engine holds, one by one. */
  readonly sizes: readonly {
    readonly shard: number;
    readonly docs: number;
    readonly bytes: number;
  }[];
  /** Milliseconds since this engine opened it. */
  readonly age_ms: number;
  /**
   * Names the definition that it was built with, without the shards that are held, and the read
   * restrictions of its rows.
   */
  readonly definition: string;
}

/** An index of this engine as a node of a cluster reports it. */
export interface ReadableIndex {
  readonly index: string;
  readonly uuid: string;
  readonly shards: number;
  /** The shards that this engine holds, ascending. */
  readonly ordinals: readonly number[];
  /** Of an index at home in a store: nodes that are to have a commit of it. 0: of another. */
  readonly copies: number;
  readonly definition_version: number;
  readonly commits: readonly ReadableCommit[];
  readonly aliases: readonly string[];
}

/** A read of a commit. */
export interface CommitRead {
  readonly index: string;
  /** Name of a commit, `pit:` and a point in time, or `side:` and an open side of a diff. */
  readonly commit: string;
  readonly shard: number;
  /**
   * An operation of `Shard`, a read of the whole commit, or one of sides of diffs; `answer:` and
   * the name of a read of the contract; `definition`: the text of the definition in force, whatever
   * commit is named.
   */
  readonly operation: string;
  readonly request: Uint8Array;
}

const SHARD_OPERATIONS: Readonly<Record<ShardOperation, true>> = {
  statistics: true,
  search: true,
  nearest: true,
  aggregate: true,
  suggest: true,
  keys: true,
  explain: true,
  fetch: true,
};

/** Before the name of a read of the contract. */
export const ANSWER = 'answer:';
const PIT = 'pit:';
const SIDE = 'side:';
const OF_SIDES: ReadonlySet<string> = new Set(['open_side', 'close_side', 'side_rows']);

/** The reads of a node. It is closed before its engine. */
export class NodeReads {
  readonly #indexes: LocalIndexes;
  readonly #held: HeldCommits;
  readonly #sides: HeldSides;

  constructor(indexes: LocalIndexes) {
    this.#indexes = indexes;
    this.#held = new HeldCommits(indexes);
    this.#sides = new HeldSides(indexes, this.#held);
  }

  /** The indexes and their commits. An index that cannot be opened has none. */
  state(): readonly ReadableIndex[] {
    const { registry, looks } = this.#indexes;
    looks?.begin();
    this.#held.sweep();
    this.#sides.sweep();
    const aliases = registry.aliases.list();
    return registry.list().map(({ name }) => {
      const known = this.#indexes.known(name);
      const { shards = 1, only, replicas = 1 } = known.definition;
      const { uuid, version } = known.registered;
      return {
        ...{ index: name, uuid, shards, definition_version: version },
        copies: homePlace(known.definition, known.registered.baseDir) === null ? 0 : 1 + replicas,
        ordinals: only ?? Array.from({ length: shards }, (_, ordinal) => ordinal),
        commits: this.#commits(known),
        aliases: aliases.filter(({ index }) => index === name).map(({ alias }) => alias),
      };
    });
  }

  /** The digest of the definition in force of an index. */
  digest(name: string): string {
    return definitionDigest(this.#indexes.known(name).definition);
  }

  /** Whether this engine has an index, built or not. */
  isDefined(name: string): boolean {
    return this.#indexes.registry.isNamed(name);
  }

  /** Whether this engine has an index, and has built it. */
  has(name: string): boolean {
    return this.isDefined(name) && commitVersion(this.#indexes.known(name).folder) !== null;
  }

  #commits(known: KnownIndex): readonly ReadableCommit[] {
    try {
      const now = this.#indexes.clock.ticks();
      return this.#held.list(known).map((held) => readable(held, now));
    } catch (error) {
      if (error instanceof LhsError) return [];
      throw error;
    }
  }

  /** The answer of a read, or its error, as bytes. */
  async read(read: CommitRead, call: CallContext): Promise<Uint8Array> {
    try {
      return await this.#indexes.life.call(() => this.#read(read, call));
    } catch (error) {
      return valueToBytes(`${read.operation} answer`, { error: errorToPlain(error) });
    }
  }

  close(): void {
    this.#sides.close();
    this.#held.close();
  }

  async #read(read: CommitRead, call: CallContext): Promise<Uint8Array> {
    const known = accessible(this.#indexes, read.index, call);
    if (OF_SIDES.has(read.operation)) return this.#sideOperation(known, read, call);
    if (read.commit.startsWith(SIDE)) return this.#readSide(known, read, call);
    if (read.operation === 'definition') {
      refuseTenants(call, 'alterIndex');
      return valueToBytes('definition answer', { result: known.registered.definition });
    }
    if (read.operation.startsWith(ANSWER)) return this.#answer(known, read, call);
    const open = this.#open(known, read.commit, call);
    const endOfRead = holdColdBytes();
    try {
      if (call.principal?.tenant !== undefined) tenantFilter(open.mapping, call.principal.tenant);
      const context = await contextOf(this.#indexes, known, open, call);
      if (isShardOperation(read.operation)) {
        return await runOperation(context, read, read.operation);
      }
      return await whole(context, open, read);
    } finally {
      endOfRead();
      open.snapshot.release();
    }
  }

  /** A read of the contract, from all shards of a commit. */
  async #answer(known: KnownIndex, { commit, operation, request }: CommitRead, call: CallContext) {
    const name = operation.slice(ANSWER.length);
    if (!Object.hasOwn(READS_OF_COMMITS, name)) throw noRead(operation);
    const read = READS_OF_COMMITS[name as CommitReadName] as (...read: unknown[]) => unknown;
    const own = valueFromBytes(`${operation} request`, request) as object;
    const target = { ...own, index: known.registered.name };
    const at = () => this.#open(known, commit, call);
    const result = await read(this.#indexes, target, call, at);
    return valueToBytes(`${operation} answer`, { result });
  }

  async #sideOperation(known: KnownIndex, { operation, request }: CommitRead, call: CallContext) {
    refuseTenants(call, 'diffHits');
    const decoded = valueFromBytes(`${operation} request`, request);
    const answer = (result: unknown) => valueToBytes(`${operation} answer`, { result });
    if (operation === 'open_side') {
      return answer(await this.#sides.open(known, decoded as SideRequest, call));
    }
    if (operation === 'side_rows') {
      return answer(await this.#sides.rows(known, decoded as SideRowsRequest, call));
    }
    this.#sides.end((decoded as { id: string }).id);
    return answer(null);
  }

  async #readSide(known: KnownIndex, read: CommitRead, call: CallContext): Promise<Uint8Array> {
    refuseTenants(call, 'diffHits');
    const { open } = this.#sides.at(known, read.commit.slice(SIDE.length));
    const { snapshot, mapping } = open!;
    const context = sideContext(
      { indexes: this.#indexes, known },
      { snapshot, mapping },
      null,
      call,
    );
    snapshot.retain();
    const endOfRead = holdColdBytes();
    try {
      return isShardOperation(read.operation)
        ? await runOperation(context, read, read.operation)
        : await whole(context, { ...open!, version: read.commit }, read);
    } finally {
      endOfRead();
      snapshot.release();
    }
  }

  #open(known: KnownIndex, commit: string, call: CallContext): OpenIndex {
    if (!commit.startsWith(PIT)) return this.#held.hold(known, commit);
    return holdPit(this.#indexes, known, commit.slice(PIT.length), call);
  }
}

function readable({ name, known, open, openedAt }: HeldCommit, now: number): ReadableCommit {
  const { snapshot } = open;
  const { version } = known.registered;
  const { definition_version } = snapshot.commit;
  const built =
    definition_version === version ? known.definition : known.definitionOf(definition_version);
  const sizes = describeShards(snapshot)
    .filter(({ shard }) => built.only?.includes(shard) ?? true)
    .map(({ shard, num_docs: docs, bytes }) => ({ shard, docs, bytes }));
  const { restrictions } = identityParts(snapshot.checkpoint?.table_uuid ?? '');
  return {
    commit: name,
    snapshot: snapshot.checkpoint?.snapshot_id ?? null,
    sequence: snapshot.checkpoint?.sequence ?? '0',
    generation: snapshot.generation,
    docs: snapshot.liveDocs,
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    sizes,
    age_ms: Math.round(now - openedAt),
    definition: [rowsDigest(built), ...(restrictions === undefined ? [] : [restrictions])].join(
      '+',
    ),
  };
}

const isShardOperation = (name: string): name is ShardOperation =>
  Object.hasOwn(SHARD_OPERATIONS, name);

/** Runs an operation of a shard for the caller's tenant, whatever tenant the request names. */
function runOperation(
  { shards, tenant, deadline }: LocalContext,
  { shard: ordinal, request }: CommitRead,
  name: ShardOperation,
): Promise<Uint8Array> {
  const shard: Shard | undefined = shards[ordinal];
  if (shard === undefined) throw new LhsError('not_found', `the index has no shard ${ordinal}`);
  const decoded = ofTenant(decodeRequest(name, request), tenant);
  const run = shard[name] as (request: unknown, signal?: AbortSignal) => never;
  return encodeAnswer(name, () => run.call(shard, decoded, deadline.signal));
}

function ofTenant(request: object, tenant: string | undefined): object {
  if (tenant === undefined) return request;
  const query = 'query' in request ? { query: { ...(request.query as object), tenant } } : {};
  return { ...request, ...query, tenant };
}

/** What a coordinator knows of a commit. */
function headerOf({ snapshot, mapping }: OpenIndex) {
  const { fields, key_numbers = [], checkpoint } = snapshot.commit;
  return {
    definition: mapping.definition,
    generation: snapshot.generation,
    snapshot_id: checkpoint?.snapshot_id ?? null,
    commit: { fields, key_numbers, schema: checkpoint?.schema ?? null },
  };
}

/** The header of a commit, as `commit` answers it. */
export type CommitHeader = ReturnType<typeof headerOf>;

/** A request for rows of the table. */
export interface RowsRead {
  readonly wanted: readonly RequestedRow[];
  readonly columns?: readonly string[] | 'none';
  readonly as_of?: string;
}

/** A text to embed with a model of the definition. */
export interface EmbedRead {
  readonly model: string;
  readonly checksum?: string;
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

/** Reads of a commit as a whole. */
async function whole(
  context: LocalContext,
  open: OpenIndex,
  { operation, request }: CommitRead,
): Promise<Uint8Array> {
  const decoded = valueFromBytes(`${operation} request`, request);
  const answer = (result: unknown) => valueToBytes(`${operation} answer`, { result });
  switch (operation) {
    case 'commit':
      return answer(headerOf(open));
    case 'rows': {
      const { wanted, columns, as_of } = decoded as RowsRead;
      const cost = { bytes: 0, requests: 0 };
      return answer({ ...(await context.readRows(wanted, columns, cost, as_of)), cost });
    }
    case 'embed': {
      const { model, checksum, ...texts } = decoded as EmbedRead;
      const embedder = await context.openModel(model, checksum);
      return answer({ identity: embedder.identity, vectors: await embedder.embed(texts) });
    }
    case 'lag':
      return answer(await context.lag((decoded as { now: boolean }).now ? 'now' : undefined));
    case 'reached':
      return answer(await context.hasReached((decoded as { id: string }).id));
    default:
      throw noRead(operation);
  }
}

const noRead = (name: string): LhsError =>
  new LhsError('unsupported', `"${name}" is no read of a commit`);
