import type { AgentServerOptions } from '../protocol/create-server.ts';
import { withoutNulls } from '../protocol/messages.ts';

/** Answers one HTTP request of the protocol. */
export interface HttpHandler {
  /** `body`: the request's body, parsed. */
  handle(request: Request, options: AgentServerOptions, body: unknown): Promise<Response>;
}

/** The handler of `POST /mcp`. It keeps nothing between requests: each has a server of its own. */
export async function openHttpHandler(): Promise<HttpHandler> {
  const [{ createMcpHandler }, { createAgentServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../protocol/create-server.ts'),
  ]);
  return {
    handle(request, options, body) {
      // nothing changes that a client could subscribe to
      const handler = createMcpHandler(() => createAgentServer(options), { maxSubscriptions: 0 });
      return handler.fetch(request, { parsedBody: withoutNulls(body) });
    },
  };
}
