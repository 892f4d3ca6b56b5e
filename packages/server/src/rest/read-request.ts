import { type FieldPlan, fieldsOf, type WireMethod } from '@lakehouse-search/client/internal';
import { LhsError } from '@lakehouse-search/contract';
import type { FastifyRequest } from 'fastify';

type Texts = Readonly<Record<string, unknown>>;

/** Reads the request of an operation from the parts of an HTTP request. */
export type ReadRequest = (body: unknown, path: Texts, query: Texts) => unknown;

/**
 * A GET or DELETE has its fields in path and query, the others in the body and the path. Throws
 * invalid_argument for fields elsewhere.
 */
export function requestReader({ route, input }: WireMethod): ReadRequest {
  const fields = new Map(fieldsOf(input).map((field) => [field.name, field]));
  const { defaults } = route;
  if (route.verb === 'GET' || route.verb === 'DELETE') {
    return (_body, path, query) => ({ ...typed(query, fields), ...path });
  }
  const isPlain = !route.path.includes('{') && route.also === undefined && defaults === undefined;
  return (body = {}, path, query) => {
    for (const name in query) throw inQuery(name, route.verb);
    return isPlain || !isObject(body) ? body : { ...defaults, ...body, ...path };
  };
}

/** Throws invalid_argument for a body of a GET or DELETE: nothing would read it. */
export function refuseBody({ method, headers }: FastifyRequest): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  if (length === '0' && encoding === undefined) return;
  const message = `a ${method} has no body: its fields are in the path and the query`;
  throw new LhsError('invalid_argument', message);
}

/** A page of any site can make a browser send a query, but no JSON. */
function inQuery(name: string, verb: string): LhsError {
  const message = `unknown parameter ${JSON.stringify(name.slice(0, 60))} of the URL`;
  const hint = `a ${verb} has its fields in the body`;
  return new LhsError('invalid_argument', message, { hint });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Texts of a URL as values; one that is no such value stays a text, which the check names. */
function typed(query: Texts, fields: ReadonlyMap<string, FieldPlan>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    Object.defineProperty(values, name, {
      value: typedValue(value, fields.get(name)?.kind),
      enumerable: true,
    });
  }
  return values;
}

function typedValue(value: unknown, kind: FieldPlan['kind'] | undefined): unknown {
  if (typeof value !== 'string') return value;
  if (kind === 'bool' && (value === 'true' || value === 'false')) return value === 'true';
  const number = kind === 'int64' || kind === 'double' ? Number(value) : Number.NaN;
  return Number.isNaN(number) || value.trim() === '' ? value : number;
}
