/**
 * VARIANT tables that Spark wrote (../shared), built at their first snapshot and synced to their
 * last: every leaf at its path, typed ranges and sums of declared paths, and the rows as JSON,
 * against the rows that Spark read.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchRequest } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasShared, tablePath, truthOf } from '../../../../test/support/shared-tables.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Row {
  readonly id: number;
  readonly kind: string;
  readonly payload: Json;
}

const DEFINITION = (name: string) => `version: 1
index: t
source: { path: ${JSON.stringify(tablePath(name))} }
key: { identifier: [event_id] }
fields: [ { name: kind, type: KEYWORD } ]
variants:
  - column: payload
    discriminator: kind
    shapes:
      - { name: click, when: click, fields: [ { path: at.x, type: LONG } ] }
      - name: order
        when: order
        fields: [ { path: total, type: DOUBLE }, { path: lines.qty, type: LONG } ]
      - { name: note, when: note, fields: [ { path: stars, type: LONG } ] }
`;

let folder = '';
let backend: LocalEngine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-variants-'));
  backend = await openEngine(folder, { create: true, threads: 0 });
});
afterEach(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Leaves by path: keys joined by ".", arrays add nothing. A variant null at the top has none. */
function leavesOf(node: Json, path = ''): [string, null | boolean | number | string][] {
  if (Array.isArray(node)) return node.flatMap((part) => leavesOf(part, path));
  if (typeof node !== 'object' || node === null) return [[path, node]];
  return Object.entries(node).flatMap(([key, part]) =>
    leavesOf(part, path === '' ? key : `${path}.${key}`),
  );
}
const textOf = (leaf: null | boolean | number | string): string =>
  Object.is(leaf, -0) ? '0' : String(leaf);

async function ids(request: SearchRequest): Promise<number[]> {
  const { hits } = await backend.search({ limit: 1000, ...request });
  return hits.map((hit) => Number(hit.coordinates.identifier[0]!.value)).sort((a, b) => a - b);
}

describe.skipIf(!hasShared).each(['events_variant', 'events_variant_shredded'])('%s', (name) => {
  test('answers as its rows say', async () => {
    const truth = truthOf(name);
    const last = truth.snapshots.find((s) => s.snapshot_id === truth.current_snapshot_id)!;
    const rows = last.rows!.map((row): Row => {
      const { event_id, kind, payload } = row as { event_id: number; kind: string; payload: Json };
      const none = JSON.stringify(payload) === '{"$variant_null":true}';
      return { id: event_id, kind, payload: none ? null : payload };
    });
    const [first] = truth.snapshots;
    await backend.createIndex({ definition: DEFINITION(name) });
    await backend.reindex({ as_of: first!.snapshot_id });
    await backend.sync({});
    const where = (keep: (row: Row) => boolean) =>
      rows
        .filter(keep)
        .map(({ id }) => id)
        .sort((a, b) => a - b);
    const at = (row: Row, path: string) =>
      leavesOf(row.payload).flatMap(([own, leaf]) => (own === path ? [leaf] : []));

    const leaves = new Map(
      rows.flatMap(({ payload }) => leavesOf(payload).map((leaf) => [JSON.stringify(leaf), leaf])),
    );
    let asked = 0;
    for (const [path, leaf] of leaves.values()) {
      if (path.split('.').includes('')) continue;
      const value = textOf(leaf);
      const ast = { term: { field: `payload.${path}`, value } };
      const wanted = where((row) => at(row, path).some((own) => textOf(own) === value));
      expect(await ids({ ast }), JSON.stringify(ast)).toEqual(wanted);
      asked++;
    }
    expect(asked).toBeGreaterThan(200);

    const numbers = (row: Row, kind: string, path: string): number[] =>
      row.kind === kind ? at(row, path).filter((leaf) => typeof leaf === 'number') : [];
    for (const [kind, path, low, high] of [
      ['click', 'at.x', 20, 70],
      ['order', 'total', 48.5, 90],
      ['order', 'lines.qty', 2, 2],
      ['note', 'stars', 1, 2],
    ] as const) {
      const query = `payload.${path}:[${low} TO ${high}]`;
      const within = (n: number) => n >= low && n <= high && (path === 'total' || n % 1 === 0);
      const wanted = where((row) => numbers(row, kind, path).some(within));
      expect(await ids({ query }), query).toEqual(wanted);
      expect(wanted.length, query).toBeGreaterThan(0);
    }
    const aggs = { total: { stats: { field: 'payload.total' } } };
    const totals = rows.flatMap((row) => numbers(row, 'order', 'total'));
    expect((await backend.aggregate({ aggs })).results.total).toMatchObject({
      ...{ count: totals.length, min: Math.min(...totals), max: Math.max(...totals) },
      sum: totals.reduce((sum, n) => sum + n, 0),
    });

    const { hits } = await backend.search({ hydrate: true, limit: 1000 });
    const shown = new Map(hits.map(({ row }) => [row!.event_id, row!.payload]));
    expect(shown.size).toBe(rows.length);
    for (const { id, payload } of rows) expect(shown.get(id), String(id)).toEqual(payload);
  });
});
