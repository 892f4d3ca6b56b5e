/** Which copies of a shard searches read, where several nodes have it. */
import { hash } from 'node:crypto';
import type { LackingCopies } from '@lakehouse-search/contract';
import type { NodeCommit, NodeIndex } from './node-state.ts';

/** A commit is searched after this time, also if few nodes have it. */
const PATIENCE_MS = 3000;

/** What commits of one routing have in common. */
export type CommonState = Pick<NodeCommit, 'definition' | 'snapshot'>;

/** Whether a commit shows a state. */
export const isOf = (commit: CommonState, { definition, snapshot }: CommonState): boolean =>
  commit.definition === definition && commit.snapshot === snapshot;

/** A node that has a shard. */
interface Copy {
  readonly node: string;
  /** It answers. */
  readonly up: boolean;
}

/**
 * Copies in order of preference: those that answer first, then by rendezvous hashing, so that a
 * node that joins or leaves changes nothing between the others.
 */
export function preferred<T extends Copy>(shard: string, copies: readonly T[]): readonly T[] {
  if (copies.length < 2) return copies;
  const ranked = copies.map((copy) => ({ copy, rank: hash('sha256', `${shard}/${copy.node}`) }));
  return ranked
    .sort((a, b) => Number(b.copy.up) - Number(a.copy.up) || (a.rank < b.rank ? -1 : 1))
    .map(({ copy }) => copy);
}

/**
 * Whether enough nodes have a state, of those that have the index from a store: one of them may be
 * lost without a gap.
 */
export function isSpread(state: CommonState, nodes: readonly NodeIndex[]): boolean {
  const sharing = nodes.filter(({ copies }) => copies > 0);
  const having = sharing.flatMap(({ commits }) => commits.find((one) => isOf(one, state)) ?? []);
  const enough = Math.min(sharing.length, ...sharing.map(({ copies }) => copies));
  return having.length >= enough || having.some(({ age_ms }) => age_ms >= PATIENCE_MS);
}

/** The shards with too few copies, but not without any. `nodes`: how many have each shard. */
export const lackingCopies = (
  nodes: readonly number[],
  required: number,
): readonly LackingCopies[] =>
  nodes.flatMap((count, shard) =>
    count > 0 && count < required ? [{ shard, nodes: count, required }] : [],
  );
