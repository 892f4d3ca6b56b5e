import { Readable } from 'node:stream';
import { errorBody, LhsError } from '@lakehouse-search/contract';
import { textOfJson } from '@lakehouse-search/contract/internal';
import { publicError } from '../calls/public-error.ts';
import type { ReaderWatch } from '../calls/reader-watch.ts';

/** The content type of streams: one JSON value per line. */
export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8';

/**
 * A stream of items as NDJSON. The first item has been awaited when it comes back, so that an error
 * before it is thrown. A later error is the last line: `{"error": {...}}`. `ended` is called once,
 * also if the stream is destroyed before it was read. `watch`: told of each line.
 */
export async function ndjson(
  items: AsyncIterable<unknown>,
  ended: (bytes: number, error: unknown) => void,
  watch?: ReaderWatch,
): Promise<Readable> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  const own = lines(iterator, first, ended, watch);
  // a generator that has not begun would end without its `finally` if nobody reads it
  await own.next();
  return Readable.from(own, { objectMode: false });
}

const NOTHING = Buffer.alloc(0);

/** Timers take no more. */
const MOST_MS = 2 ** 31 - 1;

/**
 * The items until a deadline (milliseconds since 1970); then deadline_exceeded is thrown, and
 * `abort` ends the work behind them.
 */
export async function* untilDeadline<T>(
  items: AsyncIterable<T>,
  deadline: number | undefined,
  abort: () => void,
): AsyncGenerator<T> {
  if (deadline === undefined) {
    yield* items;
    return;
  }
  const { promise: late, reject } = Promise.withResolvers<never>();
  late.catch(() => {});
  const ms = Math.min(MOST_MS, Math.max(0, deadline - Date.now()));
  const timer = setTimeout(() => {
    reject(new LhsError('deadline_exceeded', 'the deadline of the call has passed'));
    abort();
  }, ms);
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), late]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    await iterator.return?.();
  }
}

/** The lines, behind an empty one. */
async function* lines(
  iterator: AsyncIterator<unknown>,
  first: IteratorResult<unknown>,
  ended: (bytes: number, error: unknown) => void,
  watch: ReaderWatch | undefined,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let failure: unknown;
  try {
    yield NOTHING;
    for (let item = first; item.done !== true; item = await iterator.next()) {
      const line = Buffer.from(`${textOfJson(item.value)}\n`);
      bytes += line.length;
      watch?.offered();
      yield line;
      watch?.taken();
    }
  } catch (error) {
    failure = error;
    const line = Buffer.from(`${JSON.stringify(errorBody(publicError(error)))}\n`);
    bytes += line.length;
    yield line;
  } finally {
    watch?.end();
    ended(bytes, failure);
    await iterator.return?.();
  }
}
