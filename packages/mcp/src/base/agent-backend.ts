import type { Backend, CallContext, SearchApi } from '@lakehouse-search/contract';

/** The operations that agents can reach: reads alone. */
export interface AgentBackend
  extends Pick<SearchApi, 'search' | 'semantic' | 'hybrid' | 'aggregate' | 'getKeys'> {
  readonly indexes: Pick<Backend['indexes'], 'list' | 'describe'>;
}

/** What a tool, a resource or a prompt works with: all operations, or some of them. */
export interface AgentContext<K extends keyof AgentBackend = keyof AgentBackend> {
  readonly backend: Pick<AgentBackend, K>;
  readonly call: CallContext;
}
