import { LhsError } from '@lakehouse-search/contract';

type Message = Record<string, unknown>;

/**
 * The request that a stream of messages makes: the first one has the head of the change batch, and
 * each may have parts, which are read as they come.
 */
export async function joinParts(
  messages: AsyncIterable<Buffer>,
  read: (bytes: Buffer) => Message,
): Promise<Message> {
  const iterator = messages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new LhsError('invalid_argument', 'the stream has no request');
  const head = read(first.value);
  if (typeof head.batch !== 'object' || head.batch === null) return head;
  const batch = head.batch as Message;
  return { ...head, batch: { ...batch, parts: parts(batch.parts, iterator, read) } };
}

async function* parts(
  own: unknown,
  iterator: AsyncIterator<Buffer>,
  read: (bytes: Buffer) => Message,
): AsyncGenerator<unknown> {
  yield* own as readonly unknown[];
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    const { batch } = read(next.value) as { readonly batch?: { readonly parts: unknown[] } };
    yield* batch?.parts ?? [];
  }
}
