/** One document: `_doc/{id}`, `_source/{id}`, `_explain/{id}`. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { coordinatesOfId, documentId } from '../base/document-id.ts';
import { engineError, errorJson } from '../base/engine-error.ts';
import { listIn, objectIn, onlyKnown, textIn } from '../base/read-json.ts';
import { noIndex, oneIndex, openIndex, type ServedIndex } from '../base/served-index.ts';
import { isObject } from '../query/body.ts';
import { illegal } from '../query/refusal.ts';
import { explanationOf } from '../search/explanation.ts';
import { queryOfUrl, readBody } from '../search/search-body.ts';
import { selectionOf } from '../search/search-plan.ts';
import { filterSource, readSource, type SourceFilter } from '../search/source-filter.ts';
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
    const json = await documentOf(call, readSource(undefined, call.params, true));
    return { status: json.found === true ? 200 : 404, json };
  },
};

/** The document of the path of a call. */
async function documentOf(call: AdapterCall, source: SourceFilter | null): Promise<JsonObject> {
  const index = await indexOf(call);
  const row = await rowOf(call, index);
  const head = { _index: index.name, _id: call.path.id };
  if (row === undefined) return { ...head, found: false };
  const shown: JsonObject = source === null ? {} : { _source: filterSource(row, source) };
  return { ...head, ...FIRST, found: true, ...shown };
}

/** Most documents of one `_mget`. */
const DOCUMENTS = 1000;

const multiGet: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_mget', '/:index/_mget'],
  operation: 'getKeys',
  params: READ_PARAMS,
  async answer(call) {
    const body = onlyKnown(objectIn(call.body, 'mget'), 'mget', ['docs', 'ids']);
    const listed = listIn(body.docs ?? body.ids ?? []);
    if (listed.length === 0) throw illegal('Validation Failed: 1: no documents to get;');
    if (listed.length > DOCUMENTS) throw illegal(`more than ${DOCUMENTS} documents in one request`);
    const docs: Json[] = [];
    for (const one of listed) docs.push(await oneDocument(call, one));
    return { json: { docs } };
  },
};

/** A document of several; its error is its response. */
async function oneDocument(call: AdapterCall, one: Json): Promise<JsonObject> {
  const doc = isObject(one) ? one : { _id: one };
  const { _index: index, _id, _source } = onlyKnown(doc, 'docs', ['_index', '_id', '_source']);
  const name = index === undefined ? call.path.index : textIn(index, '_index');
  if (name === undefined) throw illegal('Validation Failed: 1: index is missing for doc 0;');
  const path = { ...call.path, index: name, id: String(_id) };
  try {
    return await documentOf({ ...call, path }, readSource(_source, call.params, true));
  } catch (error) {
    const { body } = engineError(error, name);
    return { _index: name, _id: path.id, error: (body as { readonly error: Json }).error };
  }
}

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
export const DOCUMENT_ENDPOINTS: readonly Endpoint[] = [
  ...[get, multiGet, getSource, explain, exists],
];
