import type { Backend, CallContext } from '@lakehouse-search/contract';

/** The operations that agents can reach: reads alone. */
export type AgentBackend = Pick<
  Backend,
  'search' | 'semantic' | 'hybrid' | 'aggregate' | 'getKeys' | 'listIndexes' | 'describeIndex'
>;

/** What a tool, a resource or a prompt works with. */
export interface AgentContext {
  readonly backend: AgentBackend;
  readonly call: CallContext;
}
