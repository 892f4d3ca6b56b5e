import { createHash } from 'node:crypto';

type Answer = Readonly<Record<string, unknown>>;

/** An answer of a node about its shards of an index. */
export interface NodeAnswer {
  readonly answer: Answer;
  /** The shards that the node holds. */
  readonly ordinals: readonly number[];
}

/** Counts of documents, rows, files and bytes: those of the index are the sum over its nodes. */
const SUMMED: ReadonlySet<string> = new Set([
  'num_docs',
  'doc_count',
  'deleted_docs',
  'segments',
  'bytes',
  'inserted',
  'updated',
  'deleted',
  'rows_compared',
  'missing',
  'extra',
  'stale',
  'buckets_drifted',
  'deep_documents',
  'segments_before',
  'segments_after',
  'segments_upgraded',
  'bytes_rewritten',
  'pending_merges',
  'dropped_duplicates',
  'documents',
  'bytes_before',
  'bytes_after',
  'bytes_copied',
  'files_copied',
  'local_bytes',
  'bytes_read',
  'limit_bytes',
  'hits',
  'misses',
  'objects_removed',
  'removed',
]);
/** Of these the index has the largest. */
const LARGEST: ReadonlySet<string> = new Set([
  'took_ms',
  'index_generation',
  'generation',
  'skipped_rows',
]);
/** True only if it is true of all nodes. */
const ALL: ReadonlySet<string> = new Set(['equal', 'applied', 'is_noop']);

/** Lists of names: all of them, each once. */
const NAMES: ReadonlySet<string> = new Set(['cooled', 'warmed']);
/** Counts by name: those of the index are the sums over its nodes, of each name. */
const COUNTS: ReadonlySet<string> = new Set(['embeddings', 'without_vector', 'untyped_values']);
/** Members with counts of their own. */
const TOTALS: ReadonlySet<string> = new Set(['cache', 'orphans']);

/**
 * The answer about a whole index, of the answers of its nodes about their shards. Members that are
 * neither counts nor lists of shards are those of the node that is furthest behind the table, the
 * first one among equals.
 */
export function mergeAnswers(answers: readonly NodeAnswer[]): unknown {
  if (answers.length === 1) return answers[0].answer;
  const behind = answers.toSorted((a, b) => lagOf(b) - lagOf(a));
  const merged: Record<string, unknown> = Object.assign({}, ...answers.map(({ answer }) => answer));
  for (const name of Object.keys(merged)) {
    const values = behind.map(({ answer }) => answer[name]).filter((v) => v !== undefined);
    merged[name] = mergeMember(name, values, behind);
  }
  return merged;
}

/** Snapshots of the table that a node lacks; 0 in answers that are no statuses. */
function lagOf({ answer }: NodeAnswer): number {
  const lag = answer.lag as { readonly snapshots?: number } | undefined;
  return lag?.snapshots ?? 0;
}

function mergeMember(
  name: string,
  values: readonly unknown[],
  answers: readonly NodeAnswer[],
): unknown {
  const [first] = values;
  if (name === 'shards' && Array.isArray(first)) return mergeShards(answers);
  if (name === 'vector_fields' && Array.isArray(first)) return mergeLists(values as Answer[][]);
  if (name === 'digest') return mergeDigests(values as { index: string; table: string }[]);
  if (name === 'keys' && isObject(first)) return mergeKeys(values as Answer[]);
  if (name === 'applied' && Array.isArray(first)) return inAll(values as string[][]);
  if (name === 'faults') return (values as unknown[][]).flat();
  if (name === 'windows' && Array.isArray(first)) return mergeWindows(values as Answer[][]);
  if (name === 'generations' && Array.isArray(first)) return mergeGenerations(values as Answer[][]);
  if (NAMES.has(name)) return [...new Set((values as string[][]).flat())].sort();
  if (COUNTS.has(name)) return sumByName(values as Readonly<Record<string, number>>[]);
  if (TOTALS.has(name)) return mergeAnswers((values as Answer[]).map(whole));
  if (ALL.has(name)) return values.every((value) => value === true);
  if (typeof first !== 'number') return first;
  if (SUMMED.has(name)) return (values as number[]).reduce((sum, value) => sum + value, 0);
  return LARGEST.has(name) ? Math.max(...(values as number[])) : first;
}

function sumByName(counts: readonly Readonly<Record<string, number>>[]): unknown {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((own) => Object.entries(own))) {
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

/** Each shard as the node that holds it describes it. */
function mergeShards(answers: readonly NodeAnswer[]): unknown {
  const shards = answers.flatMap(({ answer, ordinals }) =>
    ((answer.shards ?? []) as { shard: number }[]).filter(({ shard }) => ordinals.includes(shard)),
  );
  const byOrdinal = new Map(shards.map((shard) => [shard.shard, shard]));
  return [...byOrdinal.values()].sort((a, b) => a.shard - b.shard);
}

function mergeLists(lists: readonly (readonly Answer[])[]): unknown {
  return lists[0].map((_, at) =>
    mergeAnswers(lists.map((list) => ({ answer: list[at] ?? {}, ordinals: [] }))),
  );
}

/** A window is cold if a node has moved files of it; nodes have windows of their documents only. */
function mergeWindows(lists: readonly (readonly Answer[])[]): unknown {
  const byName = Map.groupBy(lists.flat(), ({ window }) => window as string);
  const merged = [...byName.values()].map((parts): Answer => {
    const window = mergeAnswers(parts.map(whole)) as Answer;
    return parts.some(({ tier }) => tier === 'cold') ? { ...window, tier: 'cold' } : window;
  });
  const timeOf = ({ from }: Answer) => (from as string | null) ?? '~';
  return merged.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
}

/** Generations of one number are parts of one build. */
function mergeGenerations(lists: readonly (readonly Answer[])[]): unknown {
  const byNumber = Map.groupBy(lists.flat(), ({ generation }) => generation);
  return [...byNumber.values()].map((parts) => mergeAnswers(parts.map(whole)));
}

/** The items that all lists have, in the order of the first. */
const inAll = ([first, ...others]: readonly (readonly string[])[]): readonly string[] =>
  first.filter((item) => others.every((list) => list.includes(item)));

const whole = (answer: Answer): NodeAnswer => ({ answer, ordinals: [] });

/** Equal on both sides exactly if all nodes' are. */
function mergeDigests(digests: readonly { readonly index: string; readonly table: string }[]) {
  const hash = (texts: readonly string[]) =>
    createHash('sha256').update(texts.join('\n')).digest('hex');
  return {
    index: hash(digests.map(({ index }) => index)),
    table: hash(digests.map(({ table }) => table)),
  };
}

function mergeKeys(keys: readonly Answer[]): unknown {
  const names = Object.keys(keys[0]);
  return Object.fromEntries(
    names.map((name) => [name, keys.flatMap((own) => (own[name] ?? []) as unknown[])]),
  );
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
