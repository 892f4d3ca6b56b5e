import { connect as connectHttp2 } from 'node:http2';
import { unreachable } from '../remote/unreachable.ts';
import { Connection } from './connection.ts';
import { trustedRoots } from './trusted-roots.ts';

/** A server of gRPC. */
export interface Target {
  /** HOST:PORT as it was given. */
  readonly authority: string;
  readonly secure: boolean;
  /** Milliseconds between two pings while calls run; 10 s. */
  readonly pingMs?: number | undefined;
}

const CONNECT_MS = 20_000;
const PING_MS = 10_000;
/** Bytes of the windows for responses: of a request and of a connection. */
const WINDOW = 2 ** 24;
/** Bytes of a header block. */
const HEADER_BYTES = 65_536;

/** Opens a connection. Throws unreachable, with `details.sent` false. */
export async function connect({
  authority,
  secure,
  pingMs = PING_MS,
}: Target): Promise<Connection> {
  const roots = secure ? trustedRoots() : undefined;
  const session = connectHttp2(`${secure ? 'https' : 'http'}://${authority}`, {
    ...(roots === undefined ? {} : { ca: roots }),
    settings: { enablePush: false, initialWindowSize: WINDOW, maxHeaderListSize: HEADER_BYTES },
  });
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: Error) => {
      clearTimeout(timer);
      session.destroy();
      reject(unreachable(authority, reason, { details: { sent: false }, cause }));
    };
    const timer = setTimeout(fail, CONNECT_MS, `no answer within ${CONNECT_MS / 1000} s`);
    const failed = (error: Error) => fail(reasonOf(error), error);
    session.on('error', failed);
    // The settings of the peer say that it speaks HTTP/2.
    session.once('remoteSettings', () => {
      clearTimeout(timer);
      session.off('error', failed);
      session.setLocalWindowSize(WINDOW);
      resolve(new Connection(session, authority, pingMs));
    });
    session.once('close', () => fail('it does not speak HTTP/2'));
  });
}

/** The error of several addresses has its reasons inside. */
function reasonOf(error: Error & { readonly code?: string }): string {
  if (error.code === 'ERR_HTTP2_ERROR') return 'it does not speak HTTP/2';
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  return error.code ?? first.message;
}
