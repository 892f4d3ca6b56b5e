/** The operations that the console calls, and where REST has them. */
import { ROUTES } from '@lakehouse-search/client/routes/internal';
import type { Operation, ServiceApi } from '@lakehouse-search/contract/internal';

/** An operation of the console. */
export type ConsoleOperation = keyof ServiceApi & Operation;

/** The request of an operation. */
export type RequestOf<O extends ConsoleOperation> = NonNullable<Parameters<ServiceApi[O]>[0]>;

/** The response of an operation. */
export type ResponseOf<O extends ConsoleOperation> = Awaited<ReturnType<ServiceApi[O]>>;

/** Method, path below the service and body of a request. */
export interface HttpParts {
  readonly method: string;
  /** Path and query, without a slash at the begin. */
  readonly target: string;
  readonly body?: string;
}

/** A request of an operation as HTTP. */
export function httpParts(operation: ConsoleOperation, request: object): HttpParts {
  const { verb: method, path } = ROUTES[operation];
  const fields = new Map(Object.entries(request));
  const target = path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method === 'POST' || method === 'PUT')
    return { method, target, body: JSON.stringify(Object.fromEntries(fields)) };
  const query = new URLSearchParams();
  for (const [name, value] of fields) if (value !== undefined) query.append(name, String(value));
  return { method, target: query.size === 0 ? target : `${target}?${query}` };
}
