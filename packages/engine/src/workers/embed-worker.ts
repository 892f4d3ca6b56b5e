/**
 * The thread that embeds texts by a static model: its data are a `ModelSource`, its messages are
 * `ToEmbedThread` and `FromEmbedThread`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { releaseArrays } from '../base/arrays/release-arrays.ts';
import type { ModelSource } from '../embed/embedder.ts';
import { openStaticModel, type StaticModel } from '../embed/static/static-model.ts';
import { errorToPlain } from '../shard/bytes.ts';
import type { FromEmbedThread, ToEmbedThread } from './embed-messages.ts';

const { folder, ...options } = workerData as ModelSource;
let model: StaticModel | undefined;

async function answer({ id, texts }: ToEmbedThread): Promise<FromEmbedThread> {
  try {
    model ??= openStaticModel(folder, options);
    const vectors = await model.fixedHere(texts);
    releaseArrays([texts.offsets, texts.bytes]);
    return { kind: 'vectors', id, vectors };
  } catch (error) {
    return { kind: 'failed', id, error: errorToPlain(error) };
  }
}

async function handle(message: ToEmbedThread): Promise<void> {
  const reply = await answer(message);
  const { scales, codes } =
    reply.kind === 'vectors' ? reply.vectors : { scales: null, codes: null };
  const transfer = [scales, codes].flatMap((array) => (array === null ? [] : [array.buffer]));
  parentPort?.postMessage(reply, transfer as ArrayBuffer[]);
}

let last = Promise.resolve();
parentPort?.on('message', (message: ToEmbedThread) => {
  last = last.then(() => handle(message));
});
