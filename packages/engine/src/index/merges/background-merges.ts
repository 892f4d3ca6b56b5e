/**
 * Merges beside the writer:
 *   1. `start` plans what the policy wants most and hands it to a runner, unless one runs
 *   2. the writer goes on: adds, deletes, moves, commits; nothing waits
 *   3. `collect` takes a merge that has ended into the writer; its next commit makes it visible
 * One merge runs at a time, within bounds of bytes and documents. One that fails is dropped and its
 * files are removed; the error is reported once, and the next attempts come after ever more calls
 * of `start`. The index loses nothing: it only keeps more segments.
 */
import { refuseAborted } from '@lakehouse-search/contract/internal';
import type { Merged } from '../../segment/merge.ts';
import type { IndexWriter } from '../index-writer.ts';
import type { MergeJob, MergePlan } from './merge-plan.ts';
import { BACKGROUND_SETTINGS, type MergeSettings } from './merge-policy.ts';

/**
 * Runs a merge somewhere: a worker thread (`runInThread`) or here (`inlineRunner`). When `signal`
 * aborts it stops soon and rejects. No file of the job is written any more once it has settled.
 * `report` receives the part that is done, 0 to 1.
 */
export type MergeRunner = (
  job: MergeJob,
  signal: AbortSignal,
  report?: (part: number) => void,
) => Promise<Merged>;

/** What decides whether a forced merge begins, receives its progress, and stops it. */
export interface ForceOptions {
  /** Called before the first merge; what it throws stops all of them. */
  readonly planned?: (plans: readonly MergePlan[]) => void;
  /** The part of the merge `at` that is done, 0 to 1. */
  readonly report?: (at: number, part: number) => void;
  readonly signal?: AbortSignal | undefined;
  /** Limits of the segments that are made. Default: those of the writer. */
  readonly settings?: MergeSettings | undefined;
}

/** Settings of background merges. */
export interface BackgroundOptions {
  /** Bounds of one merge. Default `BACKGROUND_SETTINGS`. */
  readonly settings?: MergeSettings;
  /** Receives the first failure after a success. Default: a warning of the process. */
  readonly onError?: (error: Error) => void;
  /** Called when a merge has been taken into the writer. */
  readonly onMerged?: () => void;
}

/** After so many failures in a row the pause grows no more. */
const MAX_DOUBLINGS = 6;

type Ended = { readonly merged: Merged } | { readonly error: Error };

interface Running {
  readonly plan: MergePlan;
  readonly done: Promise<void>;
  ended: Ended | null;
}

/** The merges of one writer. Close it before the writer. */
export class BackgroundMerges {
  readonly #writer: IndexWriter;
  readonly #runner: MergeRunner;
  readonly #options: BackgroundOptions;
  readonly #stop = new AbortController();
  #running: Running | null = null;
  #failures = 0;
  #pause = 0;

  constructor(writer: IndexWriter, runner: MergeRunner, options: BackgroundOptions = {}) {
    this.#writer = writer;
    this.#runner = runner;
    this.#options = options;
  }

  /** Fulfilled when the merge that runs has ended, whatever its end; null: none runs. */
  get running(): Promise<void> | null {
    return this.#running?.done ?? null;
  }

  /**
   * Begins the merge that the policy wants most, unless one runs; true where one runs now.
   * `splits`: or, after all of these, one that gives shards segments of their own.
   */
  start(splits = true): boolean {
    if (this.#running !== null) return true;
    if (this.#stop.signal.aborted) return false;
    if (this.#pause > 0) {
      this.#pause--;
      return false;
    }
    const { settings = BACKGROUND_SETTINGS } = this.#options;
    const plan = this.#writer.merges.best(settings, splits);
    if (plan !== null) this.#run(plan);
    return plan !== null;
  }

  /** Takes a merge that has ended into the writer; returns how many segments became one, or 0. */
  collect(): number {
    const running = this.#running;
    if (running === null || running.ended === null) return 0;
    this.#running = null;
    const { plan, ended } = running;
    if ('error' in ended) {
      this.#writer.merges.drop(plan);
      this.#failed(ended.error);
      return 0;
    }
    return this.#install(plan, ended.merged) ? plan.sources.length : 0;
  }

  /**
   * Runs and takes all merges that the policy wants by now; returns how many were taken. After a
   * failure it leaves the rest for later, as it does when `signal` aborts: what runs is stopped. It
   * leaves segments to several shards that have them.
   */
  async settle(signal?: AbortSignal): Promise<number> {
    let merges = 0;
    const stop = () => this.#stop.abort();
    const stopped = () => signal?.aborted === true;
    signal?.addEventListener('abort', stop);
    try {
      while (!stopped() && this.start(false)) {
        await this.running;
        if (!stopped() && this.collect() > 0) merges++;
      }
      return merges;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /**
   * Merges down to `count` segments as far as limits allow, one merge after the other; returns how
   * many. Throws what a merge throws, interrupted where `signal` aborts; what was taken stays
   * taken.
   */
  async force(count: number, options: ForceOptions = {}): Promise<number> {
    await this.#quiet();
    const splits = await this.#splitAll(options);
    return (
      splits + (await this.#runAll(this.#writer.merges.forced(count, options.settings), options))
    );
  }

  /** Writes each of these segments again without its deleted documents; as `force`. */
  async rewrite(segments: ReadonlySet<string>, options: ForceOptions = {}): Promise<number> {
    await this.#quiet();
    const splits = await this.#splitAll(options, segments);
    return splits + (await this.#runAll(this.#writer.merges.each(segments), options));
  }

  /** Stops what runs and drops it. Idempotent; nothing is started any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.running;
    if (this.#running !== null) this.#writer.merges.drop(this.#running.plan);
    this.#running = null;
  }

  /** Waits for the merge that runs. */
  async #quiet(): Promise<void> {
    await this.running;
    this.collect();
  }

  /** Gives each shard segments of its own, as `#runAll`. */
  async #splitAll(options: ForceOptions, only?: ReadonlySet<string>): Promise<number> {
    let merges = 0;
    const { merges: planned } = this.#writer;
    for (let plan = planned.nextSplit(only); plan !== null; plan = planned.nextSplit(only)) {
      merges += await this.#runAll([plan], options);
    }
    return merges;
  }

  async #runAll(plans: readonly MergePlan[], options: ForceOptions): Promise<number> {
    try {
      options.planned?.(plans);
      for (const [at, plan] of plans.entries()) {
        const report = (part: number) => options.report?.(at, part);
        const merged = await this.#runner(plan.job, this.#either(options.signal), report);
        this.#writer.merges.install(plan, merged);
        report(1);
      }
      return plans.length;
    } catch (error) {
      refuseAborted(options.signal);
      throw error;
    } finally {
      for (const plan of plans) this.#writer.merges.drop(plan);
    }
  }

  #run(plan: MergePlan): void {
    const running: Running = {
      plan,
      ended: null,
      done: this.#runner(plan.job, this.#stop.signal).then(
        (merged) => {
          running.ended = { merged };
        },
        (error: unknown) => {
          running.ended = { error: asError(error) };
        },
      ),
    };
    this.#running = running;
  }

  #install(plan: MergePlan, merged: Merged): boolean {
    try {
      const taken = this.#writer.merges.install(plan, merged);
      this.#failures = 0;
      this.#options.onMerged?.();
      return taken;
    } catch (error) {
      this.#failed(asError(error));
      return false;
    }
  }

  #failed(error: Error): void {
    if (this.#failures === 0) (this.#options.onError ?? warnOfMerge)(error);
    this.#failures++;
    this.#pause = 2 ** Math.min(this.#failures, MAX_DOUBLINGS);
  }

  #either(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, signal]);
  }
}

/** Warns the process of a merge that failed. */
export function warnOfMerge({ message }: Error): void {
  const what = `a merge of segments failed and is tried again later; the index goes on: ${message}`;
  process.emitWarning(what, 'LhsWarning');
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
