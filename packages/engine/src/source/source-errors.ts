import { LhsError } from '@lakehouse-search/contract';
import { abortedBy, refuseAborted } from '@lakehouse-search/contract/internal';
import { LakeError } from '@lakehouse-search/lake';
import { ioError, systemCode } from '../storage/io-errors.ts';

export { refuseAborted } from '@lakehouse-search/contract/internal';

/** Errors of the system that say nothing of the table. */
const OURS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

function pathOf(error: unknown, cause: unknown): string {
  const file = error instanceof LakeError ? error.file : undefined;
  const path = cause instanceof Error && 'path' in cause ? cause.path : undefined;
  return file ?? String(path ?? 'a file of the table');
}

/**
 * Any error of a table's reading as a plain `LhsError`: a `LakeError` with its file named, an abort
 * as `interrupted`, a want of this process (open files) as `io_error`, everything else as it is.
 */
export function sourceError(error: unknown): unknown {
  const cause = error instanceof LakeError && error.cause !== undefined ? error.cause : error;
  if (OURS.has(systemCode(cause))) return ioError(cause, 'read', pathOf(error, cause));
  if (error instanceof LakeError) {
    const file = error.file;
    const named = file === undefined || error.message.includes(file);
    const message = named ? error.message : `${error.message} (file "${file}")`;
    const details = { ...error.details, source_code: error.reason, ...(file ? { file } : {}) };
    return new LhsError(error.code, message, { details, cause: error });
  }
  if (error instanceof LhsError) return error;
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) {
    return new LhsError('interrupted', 'interrupted', { cause: error });
  }
  return error;
}

/**
 * The result of `work`; its errors through `sourceError`. Throws `interrupted` as soon as `signal`
 * aborts, even if `work` hangs.
 */
export async function fromSource<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await unlessAborted(work, signal);
  } catch (error) {
    throw sourceError(error);
  }
}

/** The result of `work`, or `interrupted` as soon as `signal` aborts: a table may not answer. */
export async function unlessAborted<T>(
  work: () => T | Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work();
  refuseAborted(signal);
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(abortedBy(signal));
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * The items of `source` with its errors through `sourceError`. The next item is asked for before
 * the last one is handed out, so that reading goes on while it is worked on. Throws `interrupted`
 * as soon as `signal` aborts: a source that hangs holds up nothing.
 */
export async function* readAhead<T>(
  source: AsyncIterable<T>,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const ask = () => {
    const next = iterator.next();
    next.catch(() => {});
    return next;
  };
  let done = false;
  try {
    let next = ask();
    for (;;) {
      const item = await unlessAborted(() => next, signal);
      if (item.done === true) {
        done = true;
        return;
      }
      next = ask();
      yield item.value;
    }
  } catch (error) {
    throw sourceError(error);
  } finally {
    if (!done) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
