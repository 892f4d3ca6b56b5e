/**
 * A table with the indexes `plain` and `t` (with windows), whose cold windows go to an S3 server of
 * this process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { type Fault, S3Server } from '../../../lake/test/s3-server.ts';

const DAY_MS = 86_400_000;
/** The three oldest windows. */
export const OLD = ['2025-01', '2025-02', '2025-03'];

/** Row `n` is of day `n` of 2025; each tenth one has no date. */
export const rows = (from: number, to: number, word = 'disk') =>
  Array.from({ length: to - from }, (_, i) => {
    const n = from + i;
    const at = n % 10 === 9 ? null : new Date(Date.UTC(2025, 0, 1) + n * DAY_MS).toISOString();
    return { id: `k${n}`, title: `${word} ${n % 7} of host ${n % 31}`, host: `h${n % 5}`, at };
  });

const FIELDS = `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: host, type: KEYWORD, fast: true }
  - { name: at, type: DATE }
  - { name: meaning, type: VECTOR, source: title, model: MODEL, dims: 8 }`;

/** Folders that lakes of this process have got: the engine remembers the store of a folder. */
let places = 0;

/** An object store with faults, for the tests of the calling file. */
export function coldStore(): ColdStore {
  const store = new ColdStore();
  beforeAll(() => store.start());
  afterAll(() => store.close());
  return store;
}

/** An object store with faults, shared by the lakes of a file. */
class ColdStore {
  #server: S3Server | undefined;

  get server(): S3Server {
    return this.#server!;
  }

  async start(): Promise<void> {
    this.#server = await S3Server.start('frozen');
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** A lake whose windows go to a place of its own; `at`: to that folder. */
  async open(at?: string): Promise<ColdLake> {
    for (const [name, value] of Object.entries(this.server.env)) vi.stubEnv(name, value);
    const cache = mkdtempSync(join(tmpdir(), 'lhs-cold-'));
    vi.stubEnv('LHS_COLD_CACHE_DIR', cache);
    const lake = await openSmallLake({ openEmbedder: tinyModels().open });
    return new ColdLake(this, lake, cache, at ?? `s3://frozen/at-${places++}`);
  }

  failEvery(n: number): void {
    const faults: readonly Fault[] = [
      { kind: 'status', status: 503, code: 'SlowDown' },
      { kind: 'lost' },
      { kind: 'short' },
      { kind: 'reset' },
    ];
    let requests = 0;
    this.server.fault = () => {
      return ++requests % n === 0 ? faults[(requests / n) % faults.length]! : null;
    };
  }
}

/** A table, its two indexes and their answers. */
export class ColdLake {
  readonly lake: SmallLake;
  readonly place: string;
  /** The cache of blocks on disk. */
  readonly cache: string;
  readonly #store: ColdStore;

  constructor(store: ColdStore, lake: SmallLake, cache: string, place: string) {
    this.#store = store;
    this.lake = lake;
    this.cache = cache;
    this.place = place;
  }

  get backend(): LocalEngine {
    return this.lake.backend;
  }

  async close(): Promise<void> {
    this.#store.server.fault = () => null;
    await this.lake.close();
    rmSync(this.cache, { recursive: true, force: true });
    vi.unstubAllEnvs();
  }

  /** Returns the definition of `t`. */
  async build(shards = 1, more = '', title?: (n: number) => string): Promise<string> {
    const { lake, place } = this;
    await lake.create(
      schemaOf({ id: 'string', title: 'string', host: 'string', at: 'timestamptz' }),
    );
    const all = rows(0, 150).map((row, n) => (title ? { ...row, title: title(n) } : row));
    await appendRows(lake.source, { kind: 'rows', rows: all });
    const fields = FIELDS.replace('MODEL', lake.folder);
    const sharding = `sharding: { shards: ${shards} }`;
    const windows = `windows: { field: at, every: month${more} }\nstorage: ${place}`;
    const { catalog, table } = lake.source;
    const source = `source: { catalog: ${JSON.stringify(catalog)}, table: ${table} }`;
    const definitionOf = (index: string, own: string) =>
      `version: 1\nindex: ${index}\n${source}\n${own}\n${fields}\n`;
    const own = definitionOf('t', `${sharding}\n${windows}`);
    for (const [index, definition] of [
      ['plain', definitionOf('plain', sharding)],
      ['t', own],
    ]) {
      await lake.backend.createIndex({ definition });
      await lake.backend.reindex({ index });
    }
    return own;
  }

  /** Answers of all kinds, without what says how they were made. */
  async answersOf(index: string, backend = this.backend) {
    const filter = 'at:[2025-02-01 TO 2025-03-15]';
    const requests = [
      { query: 'disk', limit: 30 },
      { query: 'title:"disk 3"', highlight: {}, limit: 5 },
      { query: 'hos*', sort: [{ field: 'at', desc: true }], limit: 20 },
      { query: 'host', filter, limit: 7, offset: 3 },
      { query: 'host:h3 OR title:dsk~1', collapse: 'host', facets: { fields: ['host'], size: 3 } },
      { query: 'NOT at:*', limit: 3 },
    ];
    const hits = [];
    for (const request of requests) {
      const { hits: own, total, facets } = await backend.search({ index, ...request });
      hits.push({ own, total, facets });
    }
    const aggs = {
      months: { date_histogram: { field: 'at', calendar_interval: 'month' } },
    } as const;
    const { results } = await backend.aggregate({ index, query: 'disk', aggs });
    const semantic = await backend.semantic({ index, query_text: 'disk 3', limit: 4, exact: true });
    const near = semantic.hits.map(({ coordinates, score }) => [coordinates, score]);
    const { suggestions } = await backend.suggest({ index, field: 'title', text: 'di' });
    const coordinates = { identifier: [{ name: 'id', value: 'k3' }] };
    const why = await backend.explain({ index, query: 'disk', coordinates });
    const explanation = [why.matched, why.score, why.rank, why.detail];
    const exported = await Array.fromAsync(backend.exportDocuments({ index }));
    return { hits, results, near, suggestions, explanation, exported };
  }

  /** The tier of each window of `t`. */
  async tiers(backend = this.backend) {
    const { windows } = await backend.windowStatus({ index: 't' });
    return Object.fromEntries(windows.map(({ window, tier }) => [window, tier]));
  }

  /** Keys of the objects of the place that may have rows. */
  objects(): readonly string[] {
    const keys = [...this.#store.server.buckets.get('frozen')!.keys()];
    const own = keys.filter((key) => key.startsWith(`${this.place.slice('s3://frozen/'.length)}/`));
    return own.filter((key) => !/\/(repository\.json|dropped|moved\/t)$/.test(key));
  }

  /** Requests for bundles since `seen` was emptied. */
  bundleRequests(method: 'GET' | 'PUT') {
    return this.#store.server.seen.filter((one) => {
      return one.method === method && this.#isBundle(one.key);
    });
  }

  /** Flips bits in the files of all bundles. */
  damageBundles(): void {
    const { server } = this.#store;
    for (const key of this.objects().filter((one) => this.#isBundle(one))) {
      const bytes = Buffer.from(server.buckets.get('frozen')!.get(key)!.bytes);
      for (let at = 0; at < bytes.length / 2; at += 100) bytes[at] ^= 1;
      server.put('frozen', key, bytes);
    }
  }

  #isBundle(key: string): boolean {
    return key.startsWith(`${this.place.slice('s3://frozen/'.length)}/`) && key.includes('/data/');
  }

  move(request: object) {
    return this.backend.moveWindows({ index: 't', ...request });
  }
}
