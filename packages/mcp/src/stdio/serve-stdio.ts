import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { AgentServerOptions } from '../protocol/create-server.ts';
import { MessageLines } from './message-lines.ts';

/** Where messages come from and go to, one JSON value per line. */
export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Receives faults of the connection, such as lines that are no JSON. */
  readonly report: (error: Error) => void;
}

/** A connection over standard input and output. */
export interface StdioConnection extends AsyncDisposable {
  /** Resolves when the client has closed its end and every request is answered. */
  readonly ended: Promise<void>;
  /** Answers running requests, then ends the connection. */
  close(): Promise<void>;
}

/**
 * Serves one client over a pair of streams. When the input ends, requests that are running are
 * still answered; an output that breaks ends the connection. Throws invalid_argument for tools that
 * do not exist.
 */
export async function serveStdio(
  options: AgentServerOptions,
  { input, output, report }: StdioStreams,
): Promise<StdioConnection> {
  const [sdk, { createAgentServer }, { servedTools }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../protocol/create-server.ts'),
    import('../tools/served-tools.ts'),
  ]);
  // a connection would tell the client alone, and as an error of the server
  servedTools(options);
  // the transport of the SDK drops running requests when its input ends: this one ends later
  const gate = new PassThrough();
  const messages = new MessageLines(output, report);
  const transport = new sdk.StdioServerTransport(gate, output);
  const handle = sdk.serveStdio(() => createAgentServer(options), { transport, onerror: report });
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  const running = countRunning(transport);
  input.pipe(messages).pipe(gate, { end: false });
  input.once('close', () => messages.end());
  messages.once('end', () => {
    void running.none(() => gate.readableLength === 0).then(() => gate.end());
  });
  output.once('error', () => gate.destroy());
  const close = () => handle.close();
  return { ended: closed, close, [Symbol.asyncDispose]: close };
}

type Transport = InstanceType<
  typeof import('@modelcontextprotocol/server/stdio')['StdioServerTransport']
>;

/** Requests of a transport that are not answered yet. */
function countRunning(transport: Transport) {
  const ids = new Set<string | number>();
  const { onmessage, send } = transport;
  let settled = () => {};
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message) ids.add(message.id);
    onmessage?.(message);
  };
  transport.send = async (message) => {
    await send.call(transport, message);
    if ('id' in message && !('method' in message) && message.id !== undefined) {
      ids.delete(message.id);
      settled();
    }
  };
  return {
    /** Resolves when nothing is left to read and to answer. */
    async none(isRead: () => boolean): Promise<void> {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (!isRead()) continue;
        if (ids.size === 0) return;
        await new Promise<void>((resolve) => {
          settled = resolve;
        });
      }
    },
  };
}
