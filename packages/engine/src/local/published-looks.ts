/**
 * Looks for newer commits of published indexes that are opened by location, in the background of
 * reads: nothing is asked of the store while nobody reads. A read after a long pause waits for the
 * look, as the objects of its commit may be gone.
 */
import { LhsError } from '@lakehouse-search/contract';
import { withoutSync } from '@lakehouse-search/contract/internal';
import type { Clock } from '../base/time/clock.ts';
import type { PublishedNews, PublishedReader } from '../home/reading/published-reader.ts';
import type { EngineLife } from './engine-life.ts';
import type { EngineOptions } from './local-options.ts';

/** Milliseconds between two looks. */
const REFRESH_MS = 1000;
/** A read waits for the look if the last one is older. */
const IDLE_MS = 30_000;
/** It waits so long, once until the look ends: a store may be out of reach. */
const WAIT_MS = 2000;

/** The reader, and what looks need of its engine. */
interface LookParts {
  readonly reader: PublishedReader;
  readonly clock: Clock;
  /** Milliseconds between two looks; 0: each read waits for one. */
  readonly refreshMs?: number | undefined;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
  /** Lets go of an index that was dropped. */
  readonly forget: (uuid: string) => void;
  /** Goes on with the data folder if it was made again. */
  readonly reopen: () => void;
}

/** The engine whose indexes are looked at. */
interface LookedAt extends Pick<LookParts, 'clock' | 'forget' | 'reopen'> {
  readonly life: EngineLife;
}

/** The looks of an engine. */
export class PublishedLooks {
  readonly #parts: LookParts;
  readonly #refreshMs: number;
  #lookedAt: number;
  #running: Promise<boolean> | null = null;
  #isLate = false;

  constructor(parts: LookParts) {
    this.#parts = parts;
    this.#refreshMs = parts.refreshMs ?? REFRESH_MS;
    this.#lookedAt = parts.clock.ticks();
  }

  get location(): string {
    return this.#parts.reader.location;
  }

  /** Whether all indexes of a place are read. */
  get isPlace(): boolean {
    return this.#parts.reader.isPlace;
  }

  /** The advice on an index that was moved from here. */
  adviceOn(name: string): { readonly hint: string } | undefined {
    return this.#parts.reader.adviceOn(name);
  }

  /** Starts a look if it is time; whether reads should wait for it. */
  begin(): boolean {
    const age = this.#parts.clock.ticks() - this.#lookedAt;
    if (age < this.#refreshMs) return false;
    void this.#look();
    return (age >= IDLE_MS || this.#refreshMs === 0) && !this.#isLate;
  }

  /**
   * The result of a read. One that fails because its commit was replaced or dropped runs again.
   */
  async run<T>(read: () => T | Promise<T>): Promise<T> {
    await this.ready();
    try {
      return await read();
    } catch (error) {
      const isLost = error instanceof LhsError && /^(io_error|index_not_built)$/.test(error.code);
      if (isLost) this.#parts.reader.doubt();
      if (!isLost || !(await this.#look())) throw withoutSync(error, 'publisher');
      return read();
    }
  }

  /** Begins a look, and waits for it after a pause. */
  async ready(): Promise<void> {
    if (!this.begin()) return;
    const ended = new AbortController();
    const late = this.#parts.clock.sleep(WAIT_MS, ended.signal).then(() => {
      this.#isLate = !ended.signal.aborted;
    });
    await Promise.race([this.#look(), late]);
    ended.abort();
  }

  /** Ends with the look that runs. */
  async end(): Promise<void> {
    await this.#running;
    await this.#parts.reader.close();
  }

  /** Looks, or joins the look that runs; whether anything changed. */
  #look(): Promise<boolean> {
    this.#running ??= this.#lookOnce().finally(() => {
      this.#lookedAt = this.#parts.clock.ticks();
      this.#running = null;
      this.#isLate = false;
    });
    return this.#running;
  }

  async #lookOnce(): Promise<boolean> {
    const { reader, closing, forget, reopen } = this.#parts;
    try {
      const { isChanged, dropped, faults }: PublishedNews = await reader.look({ signal: closing });
      for (const uuid of dropped) forget(uuid);
      if (isChanged) reopen();
      reader.warn(faults);
      return isChanged;
    } catch (error) {
      if (!closing.aborted) reader.warn([error as Error]);
      return false;
    }
  }
}

/** The looks of an engine over published indexes; null: its data folder is none of the cache. */
export function publishedLooks(
  indexes: LookedAt,
  { reader, refreshMs }: EngineOptions,
): PublishedLooks | null {
  if (reader === undefined) return null;
  const { life, clock } = indexes;
  const forget = (uuid: string) => indexes.forget(uuid);
  const reopen = () => indexes.reopen();
  return new PublishedLooks({ reader, clock, refreshMs, closing: life.closing, forget, reopen });
}

/** The error for a name that is not published at the location, in place of the registry's. */
export function notPublished(looks: PublishedLooks, name: string, error: unknown): unknown {
  if (!(error instanceof LhsError) || error.code !== 'index_not_found') return error;
  const { location, isPlace } = looks;
  const { details } = error;
  const isSelf = name === location;
  const moved = looks.adviceOn(isSelf ? nameIn(location) : name);
  if (isSelf && !isPlace) {
    const message = `there is no index at "${location}" any more`;
    const advice = moved ?? { hint: 'it was dropped there, was renamed, or left it' };
    return new LhsError('index_not_found', message, { ...advice, details });
  }
  const message = isSelf
    ? `"${location}" names no index of that place`
    : `"${location}" has no index "${name}"`;
  const names = error.hint?.startsWith('indexes: ') ? { hint: error.hint } : {};
  return new LhsError('index_not_found', message, { ...(moved ?? names), details });
}

const nameIn = (location: string): string => location.slice(location.lastIndexOf('/') + 1);
