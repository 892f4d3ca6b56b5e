import { type FieldPlan, fieldsOf, type WireMethod } from '@lakehouse-search/client';

type Texts = Readonly<Record<string, unknown>>;

/** Reads the request of an operation from the parts of an HTTP request. */
export type ReadRequest = (body: unknown, path: Texts, query: Texts) => unknown;

/** A GET or DELETE has its fields in path and query, the others in the body and the path. */
export function requestReader({ route, input }: WireMethod): ReadRequest {
  const fields = new Map(fieldsOf(input).map((field) => [field.name, field]));
  const { defaults } = route;
  if (route.verb === 'GET' || route.verb === 'DELETE') {
    return (_body, path, query) => ({ ...typed(query, fields), ...path });
  }
  if (!route.path.includes('{') && route.also === undefined && defaults === undefined) {
    return (body, _path, query) => withQuery(body, query, fields);
  }
  return (body, path, query) => {
    const read = withQuery(body, query, fields);
    return isObject(read) ? { ...defaults, ...read, ...path } : read;
  };
}

/** An empty body is an empty request. */
function withQuery(body: unknown, query: Texts, fields: ReadonlyMap<string, FieldPlan>): unknown {
  const request = body === undefined ? {} : body;
  for (const _ in query) {
    return isObject(request) ? { ...typed(query, fields), ...request } : request;
  }
  return request;
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
