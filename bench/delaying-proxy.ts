/** A thread with a proxy before an S3 server: counts requests and bytes, and delays each request. */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Words of the memory that both threads share. */
const [DELAY, REQUESTS, BYTES] = [0, 1, 2];

/** A proxy as the benchmark sees it. */
export interface DelayingProxy {
  readonly url: string;
  /** Delays each request from now on. */
  delay(millis: number): void;
  /** Requests and bytes of answers so far. */
  figures(): { readonly requests: number; readonly bytes: number };
  close(): Promise<unknown>;
}

/** Starts a proxy before a server, `http://host:port`. */
export async function startProxy(endpoint: string): Promise<DelayingProxy> {
  const words = new BigInt64Array(new SharedArrayBuffer(24));
  const worker = new Worker(new URL(import.meta.url), { workerData: { endpoint, words } });
  const [port] = await once(worker, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    delay: (millis) => void Atomics.store(words, DELAY, BigInt(millis)),
    figures: () => ({ requests: Number(words[REQUESTS]), bytes: Number(words[BYTES]) }),
    close: () => worker.terminate(),
  };
}

function serve(endpoint: string, words: BigInt64Array): void {
  const { hostname, port } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const server = createServer((from, to) => {
    Atomics.add(words, REQUESTS, 1n);
    const { method, url: path, headers } = from;
    setTimeout(
      () => {
        const next = request({ agent, hostname, port, method, path, headers }, (answer) => {
          // whether a connection stays is a matter of each side
          const { connection: _, ...own } = answer.headers;
          to.writeHead(answer.statusCode!, own);
          answer.on('data', (bytes: Buffer) => Atomics.add(words, BYTES, BigInt(bytes.length)));
          answer.pipe(to);
        });
        next.on('error', () => to.destroy());
        from.pipe(next);
      },
      Number(Atomics.load(words, DELAY)),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    parentPort!.postMessage((server.address() as AddressInfo).port);
  });
}

if (!isMainThread) serve(workerData.endpoint, workerData.words);
