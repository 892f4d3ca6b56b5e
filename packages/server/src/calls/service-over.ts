import { type CallContext, LhsError } from '@lakehouse-search/contract';
import {
  ACCOUNT_OPERATIONS,
  type AccountsApi,
  type BackendApi,
  type ClusterApi,
  type Methods,
  type Operation,
} from '@lakehouse-search/contract/internal';
import { operationsOf } from '../config/operations-of.ts';

/** The APIs that answer the operations of a service. */
export interface Apis {
  readonly backend: BackendApi;
  /** Users, tokens and sessions. Absent: their operations are unsupported. */
  readonly accounts?: AccountsApi;
  /** What the service says about itself. Absent: its operations are unsupported. */
  readonly cluster?: ClusterApi;
}

/** An operation as a function: a promise, or an iterable of a stream. */
export type Run = (request: unknown, call: CallContext) => unknown;

/** The function of each operation. */
export function runnersOver(
  { backend, accounts, cluster }: Apis,
  operations: readonly Operation[],
): ReadonlyMap<Operation, Run> {
  const methods: Partial<Methods> = {
    ...operationsOf(backend),
    ...(accounts && operationsOf(accounts)),
    ...(cluster && operationsOf(cluster)),
  };
  const runner = (operation: Operation): Run =>
    (methods[operation] as Run | undefined) ?? (() => Promise.reject(missing(operation)));
  return new Map(operations.map((operation) => [operation, runner(operation)]));
}

function missing(operation: Operation): LhsError {
  const what = Object.hasOwn(ACCOUNT_OPERATIONS, operation)
    ? 'has no accounts: it is open'
    : `has no ${operation}`;
  return new LhsError('unsupported', `this service ${what}`);
}
