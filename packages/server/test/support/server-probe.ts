/**
 * Preloaded by a server process of a test. It tells its parent how long the main thread worked
 * between the sending of a request to `/livez` and its answer, in milliseconds of processor time:
 * the request says what the thread had used when it was sent. `collect` answers with the memory
 * of the process after a garbage collection.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { SENT_AT } from './sent-at.ts';

/** What the probe tells its parent; `sentAt` is the value of the header of the request. */
export type ProbeMessage =
  | { readonly sentAt: string; readonly livezMs: number }
  | { readonly rss: number };

const tell = (message: ProbeMessage) => process.send?.(message);

function watchProbes(message: unknown): void {
  const { request, response } = message as {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
  };
  const sentAt = request.headers[SENT_AT];
  if (typeof sentAt !== 'string') return;
  response.once('finish', () => {
    const { user, system } = process.threadCpuUsage();
    const ns = Number(sentAt.split(' ', 1)[0]);
    tell({ sentAt, livezMs: (user + system) / 1000 - ns / 1e6 });
  });
}

if (isMainThread && process.send !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  subscribe('http.server.request.start', watchProbes);
  process.on('message', () => {
    collect();
    tell({ rss: process.memoryUsage().rss });
  });
  process.channel?.unref();
}
