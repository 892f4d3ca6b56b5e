import { type Alias, type CallContext, LhsError } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';

/** A node with shards of one index. */
export interface IndexPart {
  /** Name of the node. */
  readonly node: string;
  /** HOST:PORT. */
  readonly address: string;
  /** The shards that the node holds, ascending. */
  readonly ordinals: readonly number[];
}

/** A node that has built its shards. */
export interface BuiltPart extends IndexPart {
  /** Names the definition of its newest commit, as `NodeCommit` does. */
  readonly definition: string;
}

/** A node that answers, and how many shards of all indexes it holds. */
export interface LoadedNode {
  readonly node: string;
  readonly address: string;
  readonly shards: number;
}

/** An index that a restore has made on nodes. */
export interface RestoredIndex {
  readonly name: string;
  /** Of the whole index, YAML. */
  readonly definition: string;
  readonly parts: readonly IndexPart[];
  /** Some shards were built from the table: the others are behind them. */
  readonly isMixed: boolean;
  /** Aliases that it had. */
  readonly wanted: readonly string[];
  readonly aliases: 'all' | 'free' | 'none';
}

/** What a restore did with names. */
export interface RestoredNames {
  readonly aliases: readonly string[];
  readonly left_out: readonly string[];
}

/**
 * The nodes of a cluster, as operations over all shards of an index use them: as a control plane
 * knows them, or by a fixed list.
 */
export interface IndexNodes {
  /** The index of a name. Throws index_not_found, invalid_argument, permission_denied. */
  resolve(index: string | undefined, call: CallContext): Promise<string>;
  /** The nodes that have built shards of an index. Throws index_not_built, unreachable. */
  parts(index: string, call: CallContext): Promise<readonly BuiltPart[]>;
  /** The definition of the whole index, YAML. */
  definition(index: string): Promise<string>;
  indexNames(): Promise<readonly string[]>;
  aliases(): Promise<readonly Alias[]>;
  /** The nodes that answer. Throws unreachable if there is none. */
  nodes(): Promise<readonly LoadedNode[]>;
  /** Sentences about nodes that may have files of the index and do not answer. */
  absent(index: string): Promise<readonly string[]>;
  /** The operations of a node. */
  service(address: string): ServiceApi;
  /** The same, for changes of an index. */
  writer(address: string, index: string): Promise<ServiceApi>;
  /** Waits, for a bounded time, until nodes have removed a dropped index of this name. */
  free(name: string, call: CallContext): Promise<void>;
  /** Makes the parts of a restored index one of the cluster. Throws index_exists, … */
  adopt(index: RestoredIndex, call: CallContext): Promise<RestoredNames>;
}

/** Throws unreachable if shards of an index are on none of these nodes. */
export function requireAllShards(
  index: string,
  shards: number,
  parts: readonly Pick<IndexPart, 'ordinals'>[],
): void {
  const held = new Set(parts.flatMap(({ ordinals }) => ordinals));
  if (held.size >= shards) return;
  const message = `${shards - held.size} of ${shards} shards of "${index}" have no living node`;
  throw new LhsError('unreachable', message, {
    hint: 'start the node again; a reindex builds the shards of a node that has lost them',
  });
}

/** The names of all indexes and aliases of a cluster. */
export async function namesOf(
  nodes: Pick<IndexNodes, 'indexNames' | 'aliases'>,
): Promise<ReadonlySet<string>> {
  const indexes = await nodes.indexNames();
  return new Set([...indexes, ...(await nodes.aliases()).map(({ alias }) => alias)]);
}

/** The error for nodes that do not come to one snapshot. */
export const atDifferentSnapshots = (): LhsError =>
  new LhsError('index_busy', 'the nodes of the index are at different snapshots', {
    hint: 'try again when all of them have caught up',
  });

/** The error for a name that another index has, or an alias. */
export const nameTaken = (code: 'index_exists' | 'already_exists', name: string): LhsError =>
  new LhsError(code, `"${name}" is the name of another index, or an alias`);
