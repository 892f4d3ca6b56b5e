/**
 * The thread of a transformer: its data is a `SessionJob`; the first message says whether it runs,
 * then each `Request` is answered in turn.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openModelSession, type Session, type SessionJob } from './transformer-session.ts';
import type { Answer, Request } from './transformer-thread.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

async function answer(session: Session, dims: number, request: Request): Promise<Answer> {
  const { offsets, bytes } = request;
  const vectors = new Float32Array((offsets.length - 1) * dims);
  try {
    for (let i = 0; i + 1 < offsets.length; i++) {
      const text = utf8.decode(bytes.subarray(offsets[i], offsets[i + 1]));
      const vector = await session.vector(text);
      if (vector !== null) vectors.set(vector, i * dims);
    }
    return { kind: 'vectors', vectors };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function tell(message: Answer): void {
  const transfer = message.kind === 'vectors' ? [message.vectors.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(message, transfer);
}

const job = workerData as SessionJob;
const session = await openModelSession(job);
if ('kind' in session) {
  tell({ kind: 'fault', fault: session });
} else {
  tell({ kind: 'ready' });
  parentPort?.on('message', (request: Request) => {
    void answer(session, job.model.dims, request).then(tell);
  });
}
