import type { BackendApi } from '@lakehouse-search/contract/internal';
import { bytes, count, plural } from '../terminal/figures.ts';

/** What an index has, and what a search of it takes in the process that answered. */
export interface ShardLoad {
  readonly index: string;
  readonly shards: number;
  readonly docs: number;
  readonly bytes: number;
  /** Processor time of a search, in milliseconds: the median of the queries. */
  readonly search_ms: number;
  /** Such searches that one core answers. */
  readonly searches_per_second: number;
}

/** A number of shards, and what decides it. */
export interface ShardSuggestion extends ShardLoad {
  readonly suggested_shards: number;
  readonly reason: string;
}

const MOST_SHARDS = 1024;
/** What one shard should have at most. */
const MOST = { docs: 50_000_000, bytes: 16 * 10 ** 9, search_ms: 50 } as const;
/** So many of the most frequent words are measured. */
const WORDS = 20;

/**
 * The load of an index by its size and by `queries`, or by the most frequent words of its first
 * default field. Throws as `describeIndex` and `bench`.
 */
export async function measuredLoad(
  backend: BackendApi,
  name: string | undefined,
  queries?: readonly string[],
): Promise<ShardLoad> {
  const described = await backend.describeIndex({ index: name });
  const { index, num_docs: docs, bytes: size = 0, shards = [] } = described;
  const own = queries ?? (await frequentWords(backend, index, described.default_fields[0]));
  const { p50_us } = await backend.bench({ index, queries: own });
  const search_ms = p50_us / 1000;
  return {
    ...{ index, shards: Math.max(1, shards.length), docs, bytes: size, search_ms },
    searches_per_second: Math.round(1_000_000 / Math.max(p50_us, 1)),
  };
}

async function frequentWords(
  backend: BackendApi,
  index: string,
  weighted: string | undefined,
): Promise<readonly string[]> {
  const field = weighted?.split('^')[0];
  if (field === undefined) return ['*:*'];
  const { suggestions } = await backend.suggest({ index, field, limit: WORDS });
  return suggestions.length === 0 ? ['*:*'] : suggestions.map(({ text }) => JSON.stringify(text));
}

/** As few shards as have no more rows, bytes and time of a search than one should have. */
export function suggestShards(load: ShardLoad): ShardSuggestion {
  const needs = [
    { shards: load.docs / MOST.docs, reason: `at most ${count(MOST.docs)} rows a shard` },
    { shards: load.bytes / MOST.bytes, reason: `at most ${bytes(MOST.bytes)} a shard` },
    { shards: load.search_ms / MOST.search_ms, reason: `at most ${MOST.search_ms} ms a search` },
  ];
  const most = needs.reduce((a, b) => (b.shards > a.shards ? b : a));
  const wanted = Math.min(MOST_SHARDS, Math.max(1, Math.ceil(most.shards)));
  const reason = wanted === 1 ? 'one shard is small and fast enough' : most.reason;
  return { ...load, suggested_shards: wanted, reason };
}

/** The lines of a suggestion. */
export function suggestionLines(suggestion: ShardSuggestion): readonly string[] {
  const { index, shards, suggested_shards: wanted, reason, docs, search_ms } = suggestion;
  return [
    `${index}  ${plural(wanted, 'shard')} (now ${count(shards)}): ${reason}`,
    `${count(docs)} rows, ${bytes(suggestion.bytes)}; a search takes ${search_ms.toFixed(2)} ms: ` +
      `${count(suggestion.searches_per_second)} a second on a core`,
  ];
}
