/** A service over REST or gRPC, from Node. */
export type * from '@lakehouse-search/contract';
export { defineIndex, LhsError, q, typed } from '@lakehouse-search/contract';
export { type ClientOptions, createClient } from './create-client.ts';
export type { CallerOptions } from './remote/remote-service.ts';
