/** The same search as a command of `lhs` and as a request of curl, to paste into a shell. */
import type { ModeRequest } from '@lakehouse-search/contract';

/** Where the service is, and whether it requires credentials. */
export interface ServiceAddress {
  /** URL without a slash at its end. */
  readonly url: string;
  readonly needsToken: boolean;
}

const PATHS = {
  lexical: '/v1/search',
  semantic: '/v1/search:semantic',
  hybrid: '/v1/search:hybrid',
} as const;

/** A word of a POSIX shell; quoted unless it is plain. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** `lhs search INDEX QUERY --url URL`. The token of the command is that of `lhs login`. */
export function searchCommand({ mode, request }: ModeRequest, { url }: ServiceAddress): string {
  const { index, filter, sort, limit, offset, facets, syntax, collapse } = request;
  const query = mode === 'lexical' ? request.query : request.query_text;
  const words = ['lhs', 'search', index ?? '', query ?? ''];
  if (mode !== 'lexical') words.push('--mode', mode);
  if (mode !== 'lexical' && request.vector_field !== undefined) {
    words.push('--vector-field', request.vector_field);
  }
  if (syntax !== undefined) words.push('--syntax', syntax);
  if (typeof filter === 'string') words.push('--filter', filter);
  for (const { field, desc } of sort ?? [])
    words.push('--sort', `${field}:${desc ? 'desc' : 'asc'}`);
  if (collapse !== undefined) words.push('--collapse', collapse);
  for (const field of facets?.fields ?? []) words.push('--facet', field);
  if (limit !== undefined) words.push('--limit', String(limit));
  if (offset !== undefined && offset > 0) words.push('--offset', String(offset));
  return [...words, '--url', url].map(shellWord).join(' ');
}

/** The call in TypeScript, with the client of `@lakehouse-search/client`. */
export function typescriptCode({ mode, request }: ModeRequest, service: ServiceAddress): string {
  const token = service.needsToken ? ', token: process.env.LHS_TOKEN' : '';
  return (
    `import { createClient } from '@lakehouse-search/client';\n` +
    `const client = createClient({ url: ${JSON.stringify(service.url)}${token} });\n` +
    `const found = await client.${mode === 'lexical' ? 'search' : mode}(` +
    `${JSON.stringify(request, null, 2)});`
  );
}

/** The request in Python, with its standard library: a text of JSON is one of Python, too. */
export function pythonCode({ mode, request }: ModeRequest, service: ServiceAddress): string {
  const { url, needsToken } = service;
  const target = JSON.stringify(url + PATHS[mode]);
  const token = needsToken ? `, "authorization": "Bearer " + os.environ["LHS_TOKEN"]` : '';
  return (
    `import json, os, urllib.request\n` +
    `body = ${JSON.stringify(JSON.stringify(request))}\n` +
    `headers = {"content-type": "application/json"${token}}\n` +
    `call = urllib.request.Request(${target}, body.encode(), headers)\n` +
    `found = json.load(urllib.request.urlopen(call))`
  );
}

/** The request of curl. A token is taken from the variable LHS_TOKEN: none is ever shown. */
export function curlCommand({ mode, request }: ModeRequest, service: ServiceAddress): string {
  const header = service.needsToken ? ` \\\n  -H "authorization: Bearer $LHS_TOKEN"` : '';
  return (
    `curl -s ${shellWord(service.url + PATHS[mode])} ` +
    `-H 'content-type: application/json'${header} \\\n  -d ${shellWord(JSON.stringify(request))}`
  );
}
