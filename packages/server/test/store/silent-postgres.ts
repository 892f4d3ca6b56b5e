import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const INT = 4;
const READY = message('Z', Buffer.from('I'));
/** What PostgreSQL sends to a client that needs no password. */
const WELCOME = Buffer.concat([message('R', Buffer.alloc(INT)), READY]);
const DONE = Buffer.concat([message('C', Buffer.from('SELECT 0\0')), READY]);

/**
 * Speaks as much of PostgreSQL's protocol as a statement without values needs. The first
 * connections are let in, and then fall silent, as behind a firewall that forgot them.
 */
export class SilentPostgres {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #silent: number;
  #opened = 0;

  private constructor(silent: number) {
    this.#silent = silent;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Listens; the first `silent` connections answer no statement. */
  static async start(silent: number): Promise<SilentPostgres> {
    const started = new SilentPostgres(silent);
    started.#server.listen(0, '127.0.0.1');
    await once(started.#server, 'listening');
    return started;
  }

  get url(): string {
    return `postgres://lhs@127.0.0.1:${(this.#server.address() as AddressInfo).port}/lhs`;
  }

  /** Connections so far. */
  get opened(): number {
    return this.#opened;
  }

  /** Connections that the client has not closed. */
  get open(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#opened++;
    const isSilent = this.#silent-- > 0;
    let isKnown = false;
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (bytes) => {
      if (!isKnown) socket.write(WELCOME);
      else if (!isSilent && bytes.toString('latin1', 0, 1) === 'Q') socket.write(DONE);
      isKnown = true;
    });
  }
}

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(1 + INT, kind);
  head.writeInt32BE(INT + body.length, 1);
  return Buffer.concat([head, body]);
}
