/** How the operations of the embedded engine are called: caller, life of the engine, jobs. */
import type {
  CallContext,
  DefiningRequest,
  JobKind,
  JobRequests,
  JobResults,
} from '@lakehouse-search/contract';
import { checkCall, refuseListed, withDefinitionText } from '@lakehouse-search/contract/internal';
import { lazily } from '../base/lazily.ts';
import { refuseTenants, requireWanted, underNewDefinition, whileWanted } from './caller.ts';
import { LocalIndexes } from './local-indexes.ts';
import type { EngineOptions } from './local-options.ts';
import { refuseServed, requireWritable } from './served-folder.ts';

/** An operation as the modules of `local/` define it, and as a method of a backend. */
export type Work<Q, R> = (indexes: LocalIndexes, request: Q, call: CallContext) => R | Promise<R>;
/** A method of a backend. */
export type Method<Q, R> = (request: Q, call?: CallContext) => Promise<R>;
/** A method whose items come one by one. */
export type Items<Q, T> = (request: Q, call?: CallContext) => AsyncGenerator<T>;

/** An operation over all tables that the process can read: it is closed to callers of some. */
export function overTables<Q, R>(
  name: string,
  read: (request: Q, call: CallContext) => Promise<R>,
) {
  return (_: LocalIndexes, request: Q, call: CallContext): Promise<R> => {
    refuseListed(call, name);
    return read(request, call);
  };
}

/** An operation that takes a definition as an object too. */
export function defining<Q, R>(method: Method<Q, R>): Method<DefiningRequest<Q>, R> {
  return async (request, call) => method(withDefinitionText<Q>(request), call);
}

/** An operation whose module is loaded with its first call. */
export function later<Q, R>(load: () => Promise<Work<Q, R>>): Work<Q, R> {
  let loaded: Work<Q, R> | undefined;
  return (indexes, request, call) => {
    if (loaded !== undefined) return loaded(indexes, request, call);
    return load().then((work) => {
      loaded = work;
      return work(indexes, request, call);
    });
  };
}

/** Operations that change nothing of an index, run as changes do. */
const ONLY_READ: ReadonlySet<string> = new Set(['verify', 'rehearseAlter', 'checkErasure']);

/** An engine without operations. */
export abstract class EngineCalls {
  readonly dataDir: string;
  protected readonly indexes: LocalIndexes;
  protected readonly jobs = lazily(async () => {
    const { LocalJobs } = await import('./jobs/jobs.ts');
    return new LocalJobs(this.indexes);
  });

  constructor(dataDir: string, options?: EngineOptions) {
    this.dataDir = dataDir;
    this.indexes = new LocalIndexes(dataDir, options);
  }

  /** A read that tenants may make: the operation restricts itself to the caller's rows. */
  protected read<Q, R>(work: Work<Q, R>): Method<Q, R> {
    return async (request, call) => {
      const { life, clock, looks } = this.indexes;
      const checked = checkCall(call);
      const read = () => work(this.indexes, request, checked);
      return whileWanted(checked, clock, () =>
        life.callAtOnce(looks === null ? read : () => looks.run(read)),
      );
    };
  }

  /** A read that concerns all rows of an index. */
  protected ownRead<Q, R>(name: string, work: Work<Q, R>): Method<Q, R> {
    return this.read((indexes, request, call) => {
      refuseTenants(call, name);
      return work(indexes, request, call);
    });
  }

  /**
   * A call that changes something: once it has begun, it is done. An alteration does not run under
   * another definition than that for which it was requested. `name`: closed to tenants, and to
   * all if another process serves the data folder.
   */
  protected change<Q, R>(name: string | null, work: Work<Q, R>): Method<Q, R> {
    return (request, call) =>
      this.indexes.life.call(async () => {
        const checked = checkCall(call);
        requireWanted(checked, this.indexes.clock);
        if (name !== null) {
          refuseTenants(checked, name);
          refuseServed(this.dataDir, name);
          if (!ONLY_READ.has(name)) requireWritable(this.indexes, `run ${name} on`);
        }
        await this.indexes.looks?.ready();
        const run = () => work(this.indexes, request, checked);
        return name === 'alterIndex' ? run() : underNewDefinition(run);
      });
  }

  /** Long work that its signal and `close` stop. It ends when it has left everything in order. */
  protected work<Q, R>(name: string, work: Work<Q, R>): Method<Q, R> {
    return this.change(name, (indexes, request, call) =>
      work(indexes, request, indexes.life.stoppable(call)),
    );
  }

  /** An operation that runs as a job of a kind, which the call watches until it ends. */
  protected job<K extends JobKind>(name: string, kind: K): Method<JobRequests[K], JobResults[K]> {
    return this.work(name, async (_, request, call) =>
      (await this.jobs()).run(kind, request, call),
    );
  }

  /** Items until `close`. `name`: closed to tenants. `whole`: as for `EngineLife.stream`. */
  protected stream<Q, T>(
    name: string | null,
    work: Work<Q, AsyncIterable<T>>,
    whole: boolean,
  ): Items<Q, T> {
    return (request, call) => {
      const indexes = this.indexes;
      const begin = async function* () {
        const checked = checkCall(call);
        if (name !== null) refuseTenants(checked, name);
        if (name !== null && !whole) refuseServed(indexes.dataDir, name);
        if (whole) requireWanted(checked, indexes.clock);
        await indexes.looks?.ready();
        yield* await work(indexes, request, indexes.life.stoppable(checked));
      };
      return indexes.life.stream(begin, whole);
    };
  }
}
