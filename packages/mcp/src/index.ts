export type { AgentBackend, AgentContext } from './base/agent-backend.ts';
export { type MeantKey, meantKey } from './base/find-keys.ts';
export { type CitationCheck, checkCitations } from './citations/check-citations.ts';
export { type Citation, citationUri, parseCitation } from './citations/citation.ts';
export { type HttpHandler, openHttpHandler } from './http/http-handler.ts';
export type { AgentServerOptions } from './protocol/create-server.ts';
export {
  type ClientConfig,
  type ClientName,
  clientConfig,
  type Reach,
} from './setup/client-config.ts';
export { type StdioConnection, type StdioStreams, serveStdio } from './stdio/serve-stdio.ts';
