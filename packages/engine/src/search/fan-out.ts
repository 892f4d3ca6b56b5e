import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { allEnded } from '../base/all-ended.ts';
import type { Awaitable, Shard } from '../shard/shard.ts';

/** Errors of a shard that refuse the request itself: every shard would throw them. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'invalid_argument',
  'invalid_query',
  'limit_exceeded',
  'permission_denied',
  'unsupported',
  'schema_changed',
  'interrupted',
  'overloaded',
  'closed',
]);

const isRefusal = (error: unknown): boolean =>
  error instanceof LhsError && REFUSALS.has(error.code);

/**
 * The shards of one operation, and which of them failed. A shard that fails once is not asked
 * again: the rest of the operation counts it as failed.
 */
export class FanOut {
  readonly shards: readonly Shard[];
  /** By shard; null: none failed. */
  #errors: Map<number, unknown> | null = null;

  constructor(shards: readonly Shard[]) {
    this.shards = shards;
  }

  /** True when one shard is the whole index. */
  get alone(): boolean {
    return this.shards.length === 1;
  }

  /** Number of shards that failed so far. */
  get failed(): number {
    return this.#errors?.size ?? 0;
  }

  /** The error of a shard that failed; undefined where none did. */
  get error(): unknown {
    return this.#errors?.values().next().value;
  }

  /**
   * Runs an operation on every shard that has not failed. Returns the answers by shard, undefined
   * for failed ones. Throws what refuses the request, and the first error when all shards failed.
   */
  async ask<T>(
    operation: (shard: Shard, number: number) => Awaitable<T>,
  ): Promise<readonly (T | undefined)[]> {
    if (this.alone) return [await operation(this.shards[0], 0)];
    const answers = await allEnded(
      this.shards.map((shard, number) => this.#askOne(shard, number, operation)),
    );
    if (this.failed === this.shards.length) throw this.error;
    return answers;
  }

  /**
   * Asks each shard about its own items alone. Returns an answer per item, in the order of the
   * items; undefined for those of failed shards. Throws as `ask`.
   */
  async askOwners<Item, T>(
    items: readonly Item[],
    shardOf: (item: Item) => number,
    operation: (shard: Shard, own: readonly Item[], number: number) => Awaitable<readonly T[]>,
  ): Promise<readonly (T | undefined)[]> {
    if (items.length === 0) return [];
    if (this.alone) return operation(this.shards[0], items, 0);
    const owners = items.map(shardOf);
    const answers = await this.ask((shard, number) => {
      const own = items.filter((_, i) => owners[i] === number);
      return own.length === 0 ? [] : operation(shard, own, number);
    });
    const next = this.shards.map(() => 0);
    return owners.map((owner) => answers[owner]?.[next[owner]++]);
  }

  /**
   * Runs an operation that reads all shards at once. undefined: one of them fails, and asking each
   * will say which. Throws what refuses the request.
   */
  async askTogether<T>(operation: () => Awaitable<T>): Promise<T | undefined> {
    if (this.failed > 0) return undefined;
    try {
      return await operation();
    } catch (error) {
      if (isRefusal(error)) throw error;
      return undefined;
    }
  }

  async #askOne<T>(
    shard: Shard,
    number: number,
    operation: (shard: Shard, number: number) => Awaitable<T>,
  ): Promise<T | undefined> {
    if (this.#errors?.has(number)) return undefined;
    try {
      return await operation(shard, number);
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.#errors ??= new Map();
      this.#errors.set(number, error);
      return undefined;
    }
  }
}
