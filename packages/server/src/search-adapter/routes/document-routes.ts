/** One document: `_doc/{id}`, `_source/{id}`, `_explain/{id}`. */
import type { ExplainDetail, ExplainResponse, JsonObject } from '@lakehouse-search/contract';
import { coordinatesOfId, documentId } from '../base/document-id.ts';
import { engineError, errorJson } from '../base/engine-error.ts';
import { noIndex, oneIndex, openIndex, type ServedIndex } from '../base/served-index.ts';
import { illegal } from '../query/refusal.ts';
import { queryOfUrl, readBody } from '../search/search-body.ts';
import { selectionOf } from '../search/search-plan.ts';
import { filterSource, readSource } from '../search/source-filter.ts';
import type { AdapterCall } from './adapter-call.ts';
import { type Answer, type Endpoint, INDEX_PARAMS } from './endpoint.ts';
import { indexOptions } from './search-once.ts';

const SOURCE_PARAMS = ['_source', '_source_includes', '_source_excludes'] as const;
/** Parameters of reads that change no result: rows are read from the table. */
const READ_PARAMS = [...INDEX_PARAMS, ...SOURCE_PARAMS, 'realtime', 'refresh'];
const FIRST = { _version: 1, _seq_no: 0, _primary_term: 1 };

async function indexOf(call: AdapterCall): Promise<ServedIndex> {
  const reads = call.reads();
  const name = await oneIndex(reads, call.path.index, indexOptions(call.params));
  if (name === undefined) throw noIndex(call.path.index);
  const index = await openIndex(reads, name, Date.now());
  call.noteIndex(index.name);
  return index;
}

/** The row of an id; undefined: the table has none. */
async function rowOf(call: AdapterCall, index: ServedIndex): Promise<JsonObject | undefined> {
  const key = coordinatesOfId(call.path.id, index.description.key);
  if (key === undefined) return undefined;
  const { rows } = await call.reads().getKeys({ index: index.name, keys: [key] });
  return rows[0]?.fields;
}

const get: Endpoint = {
  methods: ['GET', 'HEAD'],
  paths: ['/:index/_doc/:id'],
  operation: 'getKeys',
  params: READ_PARAMS,
  async answer(call) {
    const index = await indexOf(call);
    const row = await rowOf(call, index);
    const head = { _index: index.name, _id: call.path.id };
    if (row === undefined) return { status: 404, json: { ...head, found: false } };
    const source = readSource(undefined, call.params, true);
    const shown: JsonObject = source === null ? {} : { _source: filterSource(row, source) };
    return { json: { ...head, ...FIRST, found: true, ...shown } };
  },
};

const getSource: Endpoint = {
  methods: ['GET', 'HEAD'],
  paths: ['/:index/_source/:id'],
  operation: 'getKeys',
  params: READ_PARAMS,
  async answer(call): Promise<Answer> {
    const index = await indexOf(call);
    const row = await rowOf(call, index);
    if (row !== undefined) {
      const source = readSource(undefined, call.params, true);
      return { json: source === null ? {} : filterSource(row, source) };
    }
    const reason = `Document not found [${index.name}]/[${call.path.id.slice(0, 200)}]`;
    return { status: 404, json: errorJson(404, 'resource_not_found_exception', reason) };
  },
};

const explain: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/:index/_explain/:id'],
  operation: 'explain',
  params: [...READ_PARAMS, 'q', 'df', 'default_operator', 'analyze_wildcard', 'lenient'],
  async answer(call) {
    const { params, path } = call;
    const index = await indexOf(call);
    const { json } = readBody(call.body, {});
    const query = params.q === undefined ? json.query : queryOfUrl(params.q, params);
    if (query === undefined) throw illegal('query is missing');
    const { hybrid, ...selection } = selectionOf({ query }, index, undefined);
    if (hybrid !== undefined) throw illegal('fused lists have no explanation here');
    const coordinates = coordinatesOfId(path.id, index.description.key);
    if (coordinates === undefined) return absent(index, path.id);
    const found = await call.reads().explain({ ...selection, coordinates });
    if (!found.found) return absent(index, path.id);
    const { matched } = found;
    const head = { _index: index.name, _id: documentId(coordinates), matched };
    return { json: { ...head, explanation: explanationOf(found) } };
  },
};

const absent = (index: ServedIndex, id: string): Answer => ({
  status: 404,
  json: { _index: index.name, _id: id, matched: false },
});

function explanationOf({ detail, why_not }: ExplainResponse): JsonObject {
  if (detail !== undefined) return detailOf(detail);
  return { value: 0, description: why_not?.message ?? 'no matching clause', details: [] };
}

const detailOf = ({ score, description, details }: ExplainDetail): JsonObject => ({
  value: score,
  description,
  details: details.map(detailOf),
});

/** Whether an index is there: clients read the status alone. */
const exists: Endpoint = {
  methods: ['HEAD'],
  paths: ['/:index'],
  operation: 'describeIndex',
  params: INDEX_PARAMS,
  async answer(call) {
    try {
      await indexOf(call);
      return {};
    } catch (error) {
      const { status } = engineError(error);
      if (status === 404) return { status };
      throw error;
    }
  },
};

/** Endpoints that read one document or ask for one index. */
export const DOCUMENT_ENDPOINTS: readonly Endpoint[] = [get, getSource, explain, exists];
