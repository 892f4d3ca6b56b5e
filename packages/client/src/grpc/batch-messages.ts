/** Parts in one message: a part has the rows of up to one read of a data file. */
const PARTS = 1;

type Batch = Readonly<Record<string, unknown>> & {
  readonly parts: Iterable<unknown> | AsyncIterable<unknown>;
};

/** A request with a change batch as messages: its head, then its parts. */
export async function* batchMessages(request: unknown): AsyncGenerator<object> {
  const head = request as Readonly<Record<string, unknown>> & { readonly batch: Batch };
  const { parts, ...batch } = head.batch;
  yield { ...head, batch: { ...batch, parts: [] } };
  let held: unknown[] = [];
  for await (const part of parts) {
    held.push(part);
    if (held.length < PARTS) continue;
    yield { batch: { parts: held } };
    held = [];
  }
}
