/** A node behind a slow network: a proxy on this machine that delays what the node answers. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Passes bytes between callers and one node; answers of the node can be delayed, and all bytes
 * swallowed.
 */
export class SlowProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #delayMs = 0;
  #swallows = false;
  #held: (() => void)[] = [];

  private constructor(target: string) {
    const [host, port] = target.split(':');
    this.#server = createServer((caller) => {
      const node = connect(Number(port), host);
      caller.on('data', (bytes) => {
        if (!this.#swallows) node.write(bytes);
      });
      node.on('data', (bytes) => {
        if (!this.#swallows) this.#later(() => caller.write(bytes));
      });
      for (const socket of [caller, node]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          caller.destroy();
          node.destroy();
        });
      }
    });
  }

  /** Listens in front of a node at HOST:PORT. */
  static async before(target: string): Promise<SlowProxy> {
    const proxy = new SlowProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** HOST:PORT for callers. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Delays answers from now on. Infinity: they wait until `release`. */
  delay(millis: number): void {
    this.#delayMs = millis;
  }

  /** Passes on what waits, in its order, and delays nothing from now on. */
  release(): void {
    this.#delayMs = 0;
    const held = this.#held;
    this.#held = [];
    // timers that still run find it empty
    for (const send of held.splice(0)) send();
  }

  /** Bytes of both sides are lost from now on, also on new connections. */
  swallow(): void {
    this.#swallows = true;
  }

  /** Passes bytes on again. Connections that lost some end. */
  heal(): void {
    this.#swallows = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Bytes of a connection stay in their order. */
  #later(send: () => void): void {
    if (this.#delayMs === 0 && this.#held.length === 0) {
      send();
      return;
    }
    const held = this.#held;
    held.push(send);
    if (this.#delayMs === Number.POSITIVE_INFINITY) return;
    setTimeout(() => held.shift()?.(), this.#delayMs);
  }
}
