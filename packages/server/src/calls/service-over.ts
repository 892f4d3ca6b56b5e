import {
  ACCOUNT_OPERATIONS,
  type AccountsApi,
  type Backend,
  type ClusterApi,
  LhsError,
  type Operation,
} from '@lakehouse-search/contract';

/** The APIs that answer the operations of a service. */
export interface Apis {
  readonly backend: Backend;
  /** Users, tokens and sessions. Absent: their operations are unsupported. */
  readonly accounts?: AccountsApi;
  /** What the service says about itself. Absent: its operations are unsupported. */
  readonly cluster?: ClusterApi;
}

/** An operation as a function: a promise, or an iterable of a stream. */
export type Run = (request: unknown, call: object) => unknown;

/** The function of each operation. */
export function runnersOver(
  { backend, accounts, cluster }: Apis,
  operations: readonly Operation[],
): ReadonlyMap<Operation, Run> {
  const targets: readonly object[] = [
    ...(cluster === undefined ? [] : [cluster]),
    ...(accounts === undefined ? [] : [accounts]),
    backend,
  ];
  const runner = (operation: Operation): Run => {
    for (const target of targets) {
      const method: unknown = Reflect.get(target, operation);
      if (typeof method === 'function')
        return (request, call) => method.call(target, request, call);
    }
    return () => Promise.reject(missing(operation));
  };
  return new Map(operations.map((operation) => [operation, runner(operation)]));
}

function missing(operation: Operation): LhsError {
  const what = Object.hasOwn(ACCOUNT_OPERATIONS, operation)
    ? 'has no accounts: it is open'
    : `has no ${operation}`;
  return new LhsError('unsupported', `this service ${what}`);
}
