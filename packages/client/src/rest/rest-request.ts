import { LhsError } from '@lakehouse-search/contract';
import type { Route } from '@lakehouse-search/contract/internal';

/** An operation as an HTTP request. */
export interface RestRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string | undefined;
}

/** Fields of the path go there, others into the query of GET and DELETE, else into the body. */
export function restRequest({ verb, path, defaults }: Route, request: unknown): RestRequest {
  if (verb === 'POST' && defaults === undefined && !path.includes('{')) {
    return { method: verb, target: path, body: JSON.stringify(request ?? {}) };
  }
  const fields = new Map(Object.entries((request ?? {}) as object));
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    if (value === undefined) throw new LhsError('invalid_argument', `"${name}" is missing`);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  if (verb !== 'GET' && verb !== 'DELETE') {
    for (const [name, value] of Object.entries(defaults ?? {})) {
      if (fields.get(name) === value) fields.delete(name);
    }
    return { method: verb, target, body: JSON.stringify(Object.fromEntries(fields)) };
  }
  const query = new URLSearchParams();
  for (const [name, value] of fields) if (value !== undefined) query.append(name, String(value));
  const text = query.size === 0 ? '' : `?${query}`;
  return { method: verb, target: `${target}${text}`, body: undefined };
}
