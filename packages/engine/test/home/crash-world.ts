import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows } from '@lakehouse-search/lake';
import { vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { S3Server, type Seen, type Stored } from '../../../lake/test/s3-server.ts';
import { isBackupFamily } from '../../src/home/backup-index.ts';
import { isDropped, lastCommit } from '../../src/home/chain.ts';
import { pruneRepository } from '../../src/home/prune.ts';
import { openHome } from '../../src/home/repository.ts';
import { sweepFamily } from '../../src/home/sweep.ts';

export type Engine = Awaited<ReturnType<typeof openEngine>>;
type Objects = ReadonlyMap<string, Stored>;

/** A data folder and the objects of the store at one moment. */
export interface Moment {
  readonly what: string;
  /** A request comes next. */
  readonly isRequest: boolean;
  readonly data: string;
  readonly objects: Objects;
}

const BUCKET = 'home';
/** An engine over a copy of a data folder. */
interface Copy {
  readonly engine: Engine;
  readonly folder: string;
}

/** The place of the index. */
export const [PLACE, OTHER, VAULT] = ['first', 'second', 'vault'].map(
  (name) => `s3://home/${name}`,
);
/** The key of the row that is erased. */
export const ERASED = 'k3';
const HOUR = 3_600_000;

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `k${from + i}`, title: `night train ${i % 7}` }));

/**
 * A table, and an index `t` over it that is at home in `PLACE`, one commit of the table behind.
 * Data folders and stores are copied, so that any number of processes goes on from any moment.
 */
export class CrashWorld {
  readonly server: S3Server;
  readonly #lake: SmallLake;
  readonly #work: string;
  #now = Date.UTC(2026, 0, 1);
  #copies = 0;

  private constructor(server: S3Server, lake: SmallLake) {
    this.server = server;
    this.#lake = lake;
    this.#work = mkdtempSync(join(tmpdir(), 'lhs-crashes-'));
  }

  static async open(): Promise<CrashWorld> {
    const server = await S3Server.start(BUCKET);
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
    const lake = await openSmallLake();
    await lake.create(schemaOf({ id: 'string', title: 'string' }));
    return new CrashWorld(server, lake);
  }

  /** The index before the newest commit of its table. */
  async begin(): Promise<Moment> {
    const { backend, source } = this.#lake;
    await appendRows(source, { kind: 'rows', rows: rows(0, 20) });
    await this.#lake.define(
      `storage: ${PLACE}\nfields: [{ name: title, type: TEXT, cached: true }]`,
    );
    await backend.reindex({ index: 't' });
    await deleteRows(source, `id = '${ERASED}'`);
    await backend.sync({ index: 't' });
    const moment = this.moment('begin', join(this.#lake.folder, 'data'));
    await appendRows(source, { kind: 'rows', rows: rows(20, 3) });
    return moment;
  }

  /** What is now in a data folder and in the store. */
  moment(what: string, data: string, isRequest = false): Moment {
    const copy = join(this.#work, `${this.#copies++}`);
    cpSync(data, copy, { recursive: true });
    return { what, isRequest, data: copy, objects: new Map(this.#objects) };
  }

  get #objects(): Map<string, Stored> {
    return this.server.buckets.get(BUCKET)!;
  }

  /** The store as it was at a moment. */
  setStore(objects: Objects): void {
    this.server.buckets.set(BUCKET, new Map(objects));
  }

  /**
   * Runs `work` with an engine over a copy of the data folder of a moment. The copy stays: a later
   * one with its inode would find a lock of this process that looks like its own.
   */
  async withCopy<T>({ data }: Moment, work: (copy: Copy) => Promise<T>): Promise<T> {
    const folder = join(this.#work, `${this.#copies++}`);
    cpSync(data, folder, { recursive: true });
    const engine = await openEngine(folder, { threads: 0, clock: this.#clock });
    try {
      return await work({ engine, folder });
    } finally {
      await engine.close();
    }
  }

  get #clock() {
    const now = () => this.#now;
    return { now, ticks: now, sleep: () => Promise.resolve(), random: () => 0.5 };
  }

  /** Time passes, so that commits that were replaced are old. */
  pass(): void {
    this.#now += 2 * HOUR;
  }

  /** What a reader with an empty cache finds. Throws what it throws. */
  async read(place: string, name: string): Promise<readonly string[]> {
    const cache = join(this.#work, `cache-${this.#copies++}`);
    vi.stubEnv('LHS_COLD_CACHE_DIR', cache);
    const engine = await openEngine(`${place}/${name}`, { threads: 0 });
    try {
      return await contentsOf(engine, name);
    } finally {
      await engine.close();
      rmSync(cache, { recursive: true, force: true });
    }
  }

  /** The names that a place has. */
  namesIn(place: string): readonly string[] {
    const prefix = `${keyOf(place)}indexes/`;
    return this.#keys(prefix).map((key) => key.slice(prefix.length));
  }

  #keys(prefix: string): readonly string[] {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
  }

  /** One sweep of all that is in a place. */
  async sweep(place: string): Promise<void> {
    const home = await openHome(place);
    for (const uuid of this.#families(place)) {
      if (isBackupFamily(uuid)) continue;
      const newest = (await isDropped(home, uuid)) ? null : await lastCommit(home, uuid);
      await sweepFamily(home, uuid, newest === null ? null : { ...newest, former: [] });
    }
    const clock = this.#clock;
    await pruneRepository(home, { keep: 1000, isOurs: () => true, also: new Set(), clock });
  }

  #families(place: string): readonly string[] {
    const prefix = `${keyOf(place)}families/`;
    return [...new Set(this.#keys(prefix).map((key) => key.slice(prefix.length).split('/')[0]!))];
  }

  /** Keys of the objects of a place that nobody needs: found without the code of the engine. */
  garbage(place: string): readonly string[] {
    const root = keyOf(place);
    // of two lines, the first one is a signature
    const json = (key: string) =>
      JSON.parse(this.#objects.get(key)!.bytes.toString().trim().split('\n').at(-1)!);
    const needed = new Set([`${root}repository.json`, ...this.#keys(`${root}moved/`)]);
    const need = (uuid: string, number: number) => {
      const key = `${root}families/${uuid}/commits/${String(number).padStart(12, '0')}`;
      const isEnded = (this.#objects.get(key)?.bytes.length ?? 0) < 10;
      if (isEnded || needed.has(key)) return;
      needed.add(key);
      for (const { family = uuid, object } of json(key).bundles) {
        needed.add(`${root}families/${family}/data/${object}`);
      }
    };
    for (const key of this.#keys(`${root}indexes/`)) {
      needed.add(key);
      const { uuid } = json(key);
      need(uuid, this.#last(place, uuid));
    }
    for (const key of this.#keys(`${root}pins/`)) {
      const branch = /\/branch\.([0-9a-f-]{36})\.json$/.exec(key)?.[1];
      if (branch !== undefined && this.#last(place, branch) === 0) continue;
      needed.add(key);
      const uuid = key.slice(`${root}pins/`.length).split('/')[0]!;
      need(uuid, json(key).number);
    }
    for (const uuid of this.#families(place)) {
      needed.add(`${root}families/${uuid}/dropped`);
      if (isBackupFamily(uuid)) need(uuid, this.#last(place, uuid));
    }
    return this.#keys(root).filter(
      (key) => !needed.has(key) && this.#objects.get(key)!.bytes.length > 6,
    );
  }

  #last(place: string, uuid: string): number {
    const prefix = `${keyOf(place)}families/${uuid}/commits/`;
    return Math.max(0, ...this.#keys(prefix).map((key) => Number(key.slice(prefix.length))));
  }

  /**
   * What a process leaves that is killed during `work`: before each request, and while a write is
   * under way that takes place.
   */
  async crashes(folder: string, work: () => Promise<unknown>): Promise<readonly Moment[]> {
    const moments: Moment[] = [];
    let isWriting: Moment | null = null;
    const look = ({ method, key }: Seen) => {
      const here = this.moment(`${method} ${key}`, folder, true);
      if (isWriting !== null) {
        const { what, data } = isWriting;
        moments.push({ ...here, what: `${what} is done`, data, isRequest: false });
      }
      isWriting = method === 'GET' || method === 'HEAD' ? null : here;
      moments.push(here);
      return null;
    };
    this.server.fault = look;
    try {
      await work();
    } finally {
      this.server.fault = () => null;
    }
    return [...moments, this.moment('the end', folder)];
  }

  /** Runs `work` whose n-th request takes place after `meanwhile`; what it throws comes back. */
  async paused(n: number, work: () => Promise<unknown>, meanwhile: () => Promise<unknown>) {
    const stopped = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    let requests = 0;
    this.server.fault = () => {
      if (requests++ !== n) return null;
      stopped.resolve();
      return { kind: 'held', until: goesOn.promise };
    };
    const done = work().then(
      () => null,
      (error: unknown) => error,
    );
    await Promise.race([stopped.promise, done]);
    this.server.fault = () => null;
    await meanwhile();
    goesOn.resolve();
    return done;
  }

  /** Runs `work` whose n-th request takes place, but its answer is lost. */
  async withoutAnswer(n: number, work: () => Promise<unknown>): Promise<void> {
    let requests = 0;
    this.server.fault = () => (requests++ === n ? { kind: 'lost' } : null);
    try {
      await work();
    } finally {
      this.server.fault = () => null;
    }
  }

  /** The objects of a place that never change, by key. */
  written(): ReadonlyMap<string, string> {
    const all = [...this.#objects].filter(([key]) => /\/(data|commits)\//.test(key));
    return new Map(all.map(([key, { etag }]) => [key, etag]));
  }

  async close(): Promise<void> {
    await this.#lake.close();
    await this.server.close();
    rmSync(this.#work, { recursive: true, force: true });
    vi.unstubAllEnvs();
  }
}

const keyOf = (place: string): string => `${place.slice(`s3://${BUCKET}/`.length)}/`;

/** All that an engine finds in an index. */
export const contentsOf = async (engine: Engine, index: string): Promise<readonly string[]> =>
  (await Array.fromAsync(engine.exportDocuments({ index })))
    .map((row) => JSON.stringify(row))
    .sort();
