/**
 * Groups of a collapsed search over several shards. The documents of a group may be in every shard:
 * its first document is the first of all shards, and its count is the sum. Each shard lists its
 * first groups; for the groups that a shard did not list it is asked by value. A group whose first
 * document is before the page is left out, so shards may have to list more groups.
 */
import { type CollapsedDoc, groupName } from '../collect/collapse.ts';
import { compareRanked, type SearchAfter, type SortKey, type SortValue } from '../collect/order.ts';
import type { ShardHits, ShardSearch } from '../shard/shard.ts';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';
import type { FoundDocs, PageWindow } from './find-hits.ts';

const GROWTH = 4;

/** A group of all shards: its first document, and the count of all documents. */
interface Group {
  shard: number;
  hit: CollapsedDoc;
  count: number;
}

/** The first groups of all shards. Throws as `FanOut.ask`. */
export async function findGroups(
  { deadline }: SearchContext,
  fan: FanOut,
  order: readonly SortKey[],
  requestOf: (shard: number) => Pick<ShardSearch, 'query' | 'statistics'>,
  { limit, after, total }: PageWindow,
): Promise<FoundDocs> {
  const ask = (of: (shard: number) => Omit<ShardSearch, 'query' | 'statistics' | 'time'> | null) =>
    fan.ask((shard, number) => {
      const own = of(number);
      if (own === null) return NOTHING;
      const request = { ...requestOf(number), ...own, time: deadline.left };
      return shard.search(request, deadline.signal);
    });
  for (let most = limit; ; most *= GROWTH) {
    const lists = await ask(() => ({ after, limit: most, total }));
    const missing = missingGroups(lists, after === null ? most : 0);
    const rest = await ask((shard) => {
      const groups = missing[shard];
      if (groups.length === 0) return null;
      return { after: null, limit: groups.length, total: false, groups };
    });
    const first = firstOf(lists, rest, order).filter(
      ({ hit }) => after === null || compareRanked(hit, after, order) > 0,
    );
    const end = endOf(lists, most, order);
    const known =
      end === null ? first : first.filter(({ hit }) => compareRanked(hit, end, order) <= 0);
    if (end !== null && known.length < limit) continue;
    const docs = known.slice(0, limit).map(({ shard, hit, count }) => {
      return { shard, segment: hit.segment, hit: { ...plain(hit), count } };
    });
    return { docs, total: lists.reduce((sum, list) => sum + (list?.total ?? 0), 0) };
  }
}

const NOTHING: ShardHits = Object.freeze({ docs: [], total: 0 });

type Lists = readonly (ShardHits | undefined)[];

const groupsOf = (list: ShardHits | undefined): readonly CollapsedDoc[] =>
  (list?.docs ?? []) as readonly CollapsedDoc[];

/**
 * By shard, the groups that other shards list and it does not; none of lists shorter than `whole`.
 */
function missingGroups(lists: Lists, whole: number): readonly (readonly SortValue[])[] {
  const all = new Map<string, SortValue>();
  for (const list of lists) {
    for (const { group } of groupsOf(list)) all.set(groupName(group), group);
  }
  return lists.map((list) => {
    const own = groupsOf(list);
    if (own.length < whole) return [];
    const listed = new Set(own.map(({ group }) => groupName(group)));
    return [...all].filter(([name]) => !listed.has(name)).map(([, group]) => group);
  });
}

/** The groups of all shards in order. */
function firstOf(lists: Lists, rest: Lists, order: readonly SortKey[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const part of [lists, rest]) {
    part.forEach((list, shard) => {
      for (const hit of groupsOf(list)) {
        const name = groupName(hit.group);
        const known = groups.get(name);
        if (known === undefined) groups.set(name, { shard, hit, count: hit.count });
        else {
          known.count += hit.count;
          if (compareRanked(hit, known.hit, order) < 0) {
            known.hit = hit;
            known.shard = shard;
          }
        }
      }
    });
  }
  return [...groups.values()].sort((a, b) => compareRanked(a.hit, b.hit, order));
}

/**
 * Groups that no shard has listed are behind it: the first one of the ends of full lists. null: all
 * groups are listed.
 */
function endOf(lists: Lists, most: number, order: readonly SortKey[]): SearchAfter | null {
  let end: SearchAfter | null = null;
  for (const list of lists) {
    const own = groupsOf(list);
    if (own.length < most) continue;
    const last = own[own.length - 1];
    if (end === null || compareRanked(last, end, order) < 0) end = last;
  }
  return end;
}

function plain({ segment, doc, score, values, key, group, count }: CollapsedDoc): CollapsedDoc {
  return { segment, doc, score, values, key, group, count };
}
