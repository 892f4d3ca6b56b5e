// @module-tag campaign
/**
 * Searches while an index gets other shards and a writer follows its table: each answer has all
 * rows of its snapshot, once, with the scores that one shard gives. LHS_SHARD_CASES sets the number
 * of answers (400; campaigns: 20,000), half of them while rows are appended.
 */
import { setImmediate } from 'node:timers/promises';
import type { SearchRequest, SearchResponse } from '@lakehouse-search/contract';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

/** Of a schedule. */
const ANSWERS = Number(process.env.LHS_SHARD_CASES ?? byEffort(400, 20_000, 100_000)) / 2;
/** Reshards and changed rows among the answers of a schedule. */
const RESHARDS = byEffort(4, 40);
const CHANGES = byEffort(8, 40);
const SCHEMA = schemaOf({ id: 'long', title: 'string', org: 'string' });
const READERS = 4;
/** Rows at first. */
const ROWS = 50;
const FIELDS = `fields:
  - { name: id, type: LONG, fast: true, cached: true }
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true }
`;
const WORDS = ['night', 'day', 'train', 'bus', 'note', 'late'];

/** No snapshot has so many rows. */
const ALL = 1000;
const REQUESTS: readonly SearchRequest[] = [
  { query: 'night', limit: ALL },
  { query: 'night train OR late', limit: 25 },
  { query: '"day bus"', limit: ALL },
  { query: '*:*', limit: ALL, sort: [{ field: 'id', desc: true }] },
  { query: 'bus', limit: 10, facets: { fields: ['org'] } },
];

const rowOf = (id: number, turn = 0) => ({
  id,
  title: [0, 1, 2, 3, 4].map((i) => WORDS[(id * (i + 3) + i * i + turn) % WORDS.length]).join(' '),
  org: `org ${id % 7}`,
});
const rows = (from: number, count: number, turn = 0) =>
  Array.from({ length: count }, (_, i) => rowOf(from + i, turn));

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { formatVersion: 2, rows: rows(0, ROWS) });
  const at = `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
  for (const index of ['one', 'many']) {
    await lake.backend.createIndex({ definition: `version: 1\nindex: ${index}\n${at}\n${FIELDS}` });
    await lake.backend.reindex({ index });
  }
});
afterEach(() => lake.close());

/** What an answer says of the rows of its snapshot. */
const told = ({ total, hits, facets }: SearchResponse, withScores: boolean) =>
  JSON.stringify([
    total,
    hits.map(({ coordinates, score, fields }) => [coordinates, withScores && score, fields]),
    facets,
  ]);

/** Ordered by id: the order of scores is not compared. */
const unordered = (answer: SearchResponse): SearchResponse => ({
  ...answer,
  hits: answer.hits.toSorted((a, b) => Number(a.fields?.id) - Number(b.fields?.id)),
});

class Schedule {
  /** By snapshot: what each request finds in one shard. */
  readonly #expected = new Map<string | null, readonly string[]>();
  readonly #withScores: boolean;
  readonly #requests: readonly SearchRequest[];
  /** Whether answers are still to be checked. */
  #isRunning = true;
  checked = 0;

  constructor(withScores: boolean) {
    this.#withScores = withScores;
    // scores decide which hits are first
    this.#requests = withScores ? REQUESTS : REQUESTS.filter(({ limit }) => limit === ALL);
  }

  async run(change: (turn: number) => Promise<unknown>): Promise<void> {
    await this.#expect();
    const readers = Array.from({ length: READERS }, (_, i) => this.#read(i));
    const writers = Promise.all([this.#write(change), this.#reshard()]);
    try {
      await Promise.race([writers, Promise.all(readers)]);
    } finally {
      this.#isRunning = false;
    }
    await Promise.all([writers, ...readers]);
    const { digest } = await lake.backend.verify({ index: 'one' });
    const verified = await lake.backend.verify({ index: 'many', deep: true });
    expect(verified).toMatchObject({ equal: true, faults: [], digest });
  }

  #told(answer: SearchResponse): string {
    return told(this.#withScores ? answer : unordered(answer), this.#withScores);
  }

  async #expect(): Promise<void> {
    const found: string[] = [];
    let snapshot: string | null = null;
    for (const request of this.#requests) {
      const answer = await lake.backend.search({ index: 'one', ...request });
      snapshot = answer.snapshot;
      found.push(this.#told(answer));
    }
    this.#expected.set(snapshot, found);
  }

  async #read(reader: number): Promise<void> {
    for (let i = reader; this.#isRunning; i++) {
      const at = i % this.#requests.length;
      const answer = await lake.backend.search({ index: 'many', ...this.#requests[at] });
      const right = this.#expected.get(answer.snapshot)?.[at];
      expect(this.#told(answer) === right, `request ${at} at ${answer.snapshot}`).toBe(true);
      this.checked++;
      await setImmediate();
    }
  }

  async #write(change: (turn: number) => Promise<unknown>): Promise<void> {
    for (let turn = 1; turn <= CHANGES; turn++) {
      await change(turn);
      await lake.backend.sync({ index: 'one' });
      await this.#expect();
      await lake.backend.sync({ index: 'many' });
      await this.#answered(turn / CHANGES);
    }
  }

  async #reshard(): Promise<void> {
    for (let turn = 1; turn <= RESHARDS; turn++) {
      const shards = [1, 3, 2, 7][turn % 4];
      await lake.backend.applyReshard({ index: 'many', shards });
      const bucket = (37 * turn) % 1024;
      if (shards > 1) await lake.backend.moveBucket({ index: 'many', bucket, shard: 1 });
      if (turn % 3 === 0) await lake.backend.compact({ index: 'many' });
      await this.#answered(turn / RESHARDS);
    }
  }

  /** Waits for a part of the answers. */
  async #answered(part: number): Promise<void> {
    while (this.#isRunning && this.checked < part * ANSWERS) await setImmediate();
  }
}

describe('an index that gets other shards while a writer follows its table', () => {
  it('finds all appended rows once, with the scores of one shard', async () => {
    const schedule = new Schedule(true);
    await schedule.run((turn) => lake.append(rows(1000 + 2 * turn, 2)));
    expect(schedule.checked).toBeGreaterThanOrEqual(ANSWERS);
  });

  it('finds what replaced and deleted rows leave', async () => {
    await new Schedule(false).run(async (turn) => {
      const changed = { kind: 'rows', rows: rows((7 * turn) % ROWS, 5, turn) } as const;
      if (turn % 4 === 0) await deleteRows(lake.source, `id = ${turn % ROWS}`);
      else await upsertRows(lake.source, changed);
    });
  });

  it('keeps its points in time', async () => {
    const { backend } = lake;
    const { pit_id } = await backend.openPit({ index: 'many', keep_alive: '5m' });
    const found = async () => {
      const answers = REQUESTS.map((request) =>
        backend.search({ index: 'many', pit_id, ...request }),
      );
      return (await Promise.all(answers)).map((answer) => told(answer, true));
    };
    const before = await found();
    for (const shards of [3, 2, 7]) {
      await backend.applyReshard({ index: 'many', shards });
      await upsertRows(lake.source, { kind: 'rows', rows: rows(10 * shards, 9, shards) });
      await backend.sync({ index: 'many' });
      expect(await found()).toEqual(before);
    }
    await backend.compact({ index: 'many' });
    expect(await found()).toEqual(before);
  });
});
