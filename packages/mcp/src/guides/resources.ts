import { LhsError } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { QUERY_SYNTAX } from './query-syntax.ts';

/** The resource that describes query strings. */
export const SYNTAX_URI = 'lhs://docs/query-syntax';
/** The resources that describe indexes. */
export const MAPPING_TEMPLATE = 'lhs://indexes/{name}/mapping';

/** A resource in a list. */
export interface ResourceItem {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly mimeType: string;
}

/** The syntax, and the mapping of each index of the caller. */
export async function listResources({ backend, call }: AgentContext): Promise<ResourceItem[]> {
  const indexes = await backend.indexes.list({}, call);
  const mappings = indexes.map(({ name, description }): ResourceItem => {
    const words = description === undefined ? {} : { description };
    const uri = `lhs://indexes/${encodeURIComponent(name)}/mapping`;
    return {
      uri,
      name: `mapping of ${name}`,
      title: `Fields of ${name}`,
      ...words,
      mimeType: JSON_TYPE,
    };
  });
  return [
    { uri: SYNTAX_URI, name: 'query syntax', title: 'Query syntax', mimeType: 'text/markdown' },
    ...mappings,
  ];
}

const JSON_TYPE = 'application/json';
const MAPPING = /^lhs:\/\/indexes\/([^/?#]+)\/mapping$/;

/** The text of a resource. Throws not_found, index_not_found. */
export async function readResource(
  uri: string,
  { backend, call }: AgentContext,
): Promise<{ readonly uri: string; readonly mimeType: string; readonly text: string }> {
  if (uri === SYNTAX_URI) return { uri, mimeType: 'text/markdown', text: QUERY_SYNTAX };
  const name = MAPPING.exec(uri)?.[1];
  if (name === undefined) throw noResource(uri);
  const described = await backend.indexes.describe({ index: decoded(name, uri) }, call);
  const { index, description, key, fields, time_fields, sort_fields, vector_fields } = described;
  const mapping = { index, description, key, fields, time_fields, sort_fields, vector_fields };
  return { uri, mimeType: JSON_TYPE, text: JSON.stringify(mapping) };
}

function decoded(name: string, uri: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw noResource(uri);
  }
}

const noResource = (uri: string): LhsError =>
  new LhsError('not_found', `no resource ${JSON.stringify(uri.slice(0, 200))}`);
