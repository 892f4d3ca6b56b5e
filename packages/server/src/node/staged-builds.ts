import {
  type AlterPlan,
  type CallContext,
  LhsError,
  type Progress,
  type ReindexResponse,
} from '@lakehouse-search/contract';
import type { StagedBuild } from '@lakehouse-search/engine/internal';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';

/** A staged generation that nobody promotes is discarded after this time. */
const PATIENCE_MS = 10 * 60_000;

/** What a build reports: its progress, at last the generation that waits. */
export interface BuildListener {
  readonly progress: (progress: Progress) => void;
  readonly staged: (staged: StagedBuild) => void;
}

/** What to build. */
export interface BuildOrder {
  readonly index: string;
  /** Undefined: the table's newest. */
  readonly snapshot?: string | undefined;
  /** YAML, in force with the generation, which is of the newest snapshot. Undefined: as it is. */
  readonly definition?: string | undefined;
}

interface Waiting {
  readonly promote: () => void;
  readonly discard: () => void;
  /** Ends when the generation is live or gone. Throws what the build throws. */
  readonly ended: Promise<ReindexResponse | AlterPlan>;
}

/** The generations of a node that were built and wait for the control plane. */
export class StagedBuilds {
  readonly #backend: Pick<LocalEngine, 'stageReindex' | 'stageAlter'>;
  /** By index and number of the generation. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(backend: Pick<LocalEngine, 'stageReindex' | 'stageAlter'>) {
    this.#backend = backend;
  }

  /**
   * Builds the next generation of an index. Ends when it is live; throws interrupted when it was
   * discarded. Aborting the call discards it until it is promoted.
   */
  async build(
    { index, snapshot, definition }: BuildOrder,
    listener: BuildListener,
    call: CallContext,
  ): Promise<void> {
    const ended = Promise.withResolvers<ReindexResponse | AlterPlan>();
    ended.promise.catch(() => {});
    let name = '';
    const { progress } = listener;
    const whenStaged: Parameters<LocalEngine['stageReindex']>[2] = async (staged, signal) => {
      name = nameOf(index, staged.generation);
      const gate = Promise.withResolvers<void>();
      const discard = () => gate.reject(discarded(index, staged.generation));
      this.#waiting.set(name, { promote: gate.resolve, discard, ended: ended.promise });
      gate.promise.catch(() => {});
      signal?.addEventListener('abort', discard, { once: true });
      // the caller may be gone since before the generation was complete: no event follows
      if (signal?.aborted) discard();
      const timer = setTimeout(discard, PATIENCE_MS);
      try {
        listener.staged(staged);
        await gate.promise;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', discard);
      }
    };
    const own = { ...call, progress };
    const reindex = snapshot === undefined ? { index } : { index, as_of: snapshot };
    try {
      const work =
        definition === undefined
          ? this.#backend.stageReindex(reindex, own, whenStaged)
          : this.#backend.stageAlter({ index, definition_yaml: definition }, own, whenStaged);
      ended.resolve(await work);
    } catch (error) {
      ended.reject(error);
      throw error;
    } finally {
      this.#waiting.delete(name);
    }
  }

  /**
   * Ends the wait of a generation; it is live, or gone, when the promise resolves. The response of
   * the reindex, or the plan, of one that is live. Throws not_found.
   */
  async end(
    index: string,
    generation: number,
    promote: boolean,
  ): Promise<ReindexResponse | AlterPlan | undefined> {
    const waiting = this.#waiting.get(nameOf(index, generation));
    if (waiting === undefined) {
      if (!promote) return undefined;
      const message = `generation ${generation} of "${index}" is not staged`;
      throw new LhsError('not_found', message);
    }
    if (promote) {
      waiting.promote();
      return waiting.ended;
    }
    waiting.discard();
    await waiting.ended.catch(() => {});
    return undefined;
  }
}

const nameOf = (index: string, generation: number): string => `${index} ${generation}`;

const discarded = (index: string, generation: number): LhsError =>
  new LhsError('interrupted', `generation ${generation} of "${index}" was discarded`);
