/** What indexes are: `_mapping`, `_field_caps`, `_cat/indices`, `_alias`. */
import type { Alias, FieldDescription, Json, JsonObject } from '@lakehouse-search/contract';
import { matches } from '../base/filter-path.ts';
import { flagIn, listIn, objectIn, patternsIn, textIn } from '../base/read-json.ts';
import {
  indexNames,
  listedNames,
  noIndex,
  openIndex,
  type ServedIndex,
} from '../base/served-index.ts';
import { clipped, unserved } from '../query/refusal.ts';
import type { AdapterCall } from './adapter-call.ts';
import { type Endpoint, INDEX_PARAMS } from './endpoint.ts';
import { indexOptions } from './search-once.ts';

const TYPES: Readonly<Record<string, string>> = {
  TEXT: 'text',
  KEYWORD: 'keyword',
  LONG: 'long',
  DOUBLE: 'double',
  DATE: 'date',
  IP: 'ip',
  BOOL: 'boolean',
  VECTOR: 'dense_vector',
};

async function indexesOf(call: AdapterCall): Promise<readonly ServedIndex[]> {
  const reads = call.reads();
  const names = await indexNames(reads, call.path.index, indexOptions(call.params));
  const now = Date.now();
  return Promise.all(names.map((name) => openIndex(reads, name, now)));
}

/** The type of a field as the imitated engine names it. */
function typeOf({ name, type }: FieldDescription, { table }: ServedIndex): string {
  return table.variants.includes(name) ? 'flattened' : (TYPES[type] ?? 'keyword');
}

/** What the imitated engine says of a field; the values of folded ones are compared in lower case. */
function mappingOf(field: FieldDescription, index: ServedIndex): JsonObject {
  const dims = index.description.vector_fields.find(({ name }) => name === field.name)?.dims;
  return {
    type: typeOf(field, index),
    ...(field.folded ? { normalizer: 'lowercase' } : {}),
    ...(dims === undefined ? {} : { dims }),
  };
}

/** An object with no members but its own: fields may have names such as `constructor`. */
const bare = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;

/** `properties` of an index; names with dots become objects. */
function propertiesOf(index: ServedIndex): JsonObject {
  const root = bare<Record<string, unknown>>();
  for (const field of index.description.fields) {
    const path = field.name.split('.');
    let at = root;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at[part].properties ??= bare();
      at = at[part].properties as typeof root;
    }
    const last = path[path.length - 1];
    at[last] = { ...at[last], ...mappingOf(field, index) };
  }
  return root as JsonObject;
}

const mapping: Endpoint = {
  methods: ['GET'],
  paths: ['/_mapping', '/_mappings', '/:index/_mapping', '/:index/_mappings'],
  operation: 'describeIndex',
  params: INDEX_PARAMS,
  async answer(call) {
    const indexes = await indexesOf(call);
    const entries = indexes.map((index) => {
      const mappings = { dynamic: 'false', properties: propertiesOf(index) };
      return [index.name, { mappings }] as const;
    });
    return { json: Object.fromEntries(entries) };
  },
};

/** Single fields by name, without the objects around them. */
const fieldMapping: Endpoint = {
  methods: ['GET'],
  paths: ['/_mapping/field/:fields', '/:index/_mapping/field/:fields'],
  operation: 'describeIndex',
  params: [...INDEX_PARAMS, 'include_defaults'],
  async answer(call) {
    const patterns = patternsIn(call.path.fields.split(','), 'fields') as readonly string[];
    const entries = (await indexesOf(call)).map((index) => {
      const fields = index.description.fields.filter(({ name }) =>
        patterns.some((pattern) => matches(pattern, name)),
      );
      const mappings = fields.map((field) => {
        const last = field.name.slice(field.name.lastIndexOf('.') + 1);
        const mapping = { [last]: mappingOf(field, index) };
        return [field.name, { full_name: field.name, mapping }] as const;
      });
      return [index.name, { mappings: Object.fromEntries(mappings) }] as const;
    });
    return { json: Object.fromEntries(entries) };
  },
};

const fieldCaps: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_field_caps', '/:index/_field_caps'],
  operation: 'describeIndex',
  params: [
    ...INDEX_PARAMS,
    'fields',
    'include_unmapped',
    'filters',
    'types',
    'include_empty_fields',
  ],
  async answer(call) {
    const { params, body } = call;
    const named = params.fields?.split(',') ?? (body === undefined ? undefined : fieldsIn(body));
    const patterns = patternsIn(named ?? ['*'], 'fields') as readonly string[];
    const indexes = await indexesOf(call);
    const fields = bare<Record<string, CapsOfType>>();
    for (const index of indexes) {
      for (const field of index.description.fields) {
        if (!patterns.some((pattern) => matches(pattern, field.name))) continue;
        fields[field.name] ??= {};
        addCaps(fields[field.name], field, index);
      }
    }
    const own = { ...metadataCaps(patterns), ...capsJson(fields) };
    return { json: { indices: indexes.map(({ name }) => name), fields: own } };
  },
};

/** Fields that every hit has. */
function metadataCaps(patterns: readonly string[]): JsonObject {
  const names = ['_id', '_index', '_source', '_version'];
  const found = names.filter((name) => patterns.some((pattern) => matches(pattern, name)));
  const entries = found.map((type) => {
    const caps = { type, metadata_field: true, searchable: type === '_id', aggregatable: false };
    return [type, { [type]: caps }] as const;
  });
  return Object.fromEntries(entries);
}

function fieldsIn(body: Json): readonly string[] | undefined {
  const { fields, index_filter, runtime_mappings } = objectIn(body, 'field_caps');
  const isEmpty = (json: Json | undefined) =>
    json === undefined || Object.keys(objectIn(json, 'field_caps')).length === 0;
  if (!isEmpty(index_filter) || !isEmpty(runtime_mappings)) {
    throw unserved('[index_filter] and [runtime_mappings] are not served by this adapter');
  }
  return fields === undefined ? undefined : listIn(fields).map((one) => textIn(one, 'fields'));
}

interface CapsOfType {
  readonly searchable: boolean;
  readonly aggregatable: boolean;
  readonly indices: string[];
}

function addCaps(
  types: Record<string, CapsOfType>,
  field: FieldDescription,
  index: ServedIndex,
): void {
  const type = typeOf(field, index);
  const { searchable = true, aggregatable = true, indices = [] } = types[type] ?? {};
  types[type] = {
    searchable: searchable && (field.indexed || field.fast),
    aggregatable: aggregatable && field.fast,
    indices: [...indices, index.name],
  };
}

/** Indexes are named where a field has several types. */
function capsJson(fields: Readonly<Record<string, Record<string, CapsOfType>>>): JsonObject {
  const entries = Object.entries(fields).map(([name, types]) => {
    const isMixed = Object.keys(types).length > 1;
    const caps = Object.entries(types).map(([type, { indices, ...own }]) => {
      const json = { type, metadata_field: false, ...own, ...(isMixed ? { indices } : {}) };
      return [type, json] as const;
    });
    return [name, Object.fromEntries(caps)] as const;
  });
  return Object.fromEntries(entries);
}

const COLUMNS = [
  ...['health', 'status', 'index', 'uuid', 'pri', 'rep', 'docs.count', 'docs.deleted'],
  ...['store.size', 'pri.store.size'],
];

const catIndices: Endpoint = {
  methods: ['GET'],
  paths: ['/_cat/indices', '/_cat/indices/:index'],
  operation: 'listIndexes',
  params: [...INDEX_PARAMS, 'h', 'v', 's', 'bytes', 'health', 'pri', 'include_unloaded_segments'],
  async answer(call) {
    const { params, accept = '' } = call;
    const reads = call.reads();
    const wanted = await listedNames(reads, call.path.index, indexOptions(params));
    const indexes = (await reads.listIndexes()).filter(({ name }) => wanted.includes(name));
    const columns = params.h?.split(',') ?? COLUMNS;
    const rows = indexes.map(({ name, status, num_docs, bytes, error }): JsonObject => {
      const size = params.bytes === undefined ? sizeText(bytes) : String(bytes);
      return {
        health: error === undefined && status === 'live' ? 'green' : 'yellow',
        status: 'open',
        index: name,
        uuid: name,
        pri: '1',
        rep: '0',
        'docs.count': String(num_docs),
        'docs.deleted': '0',
        'store.size': size,
        'pri.store.size': size,
      };
    });
    const shown = rows.map((row) =>
      Object.fromEntries(columns.map((column) => [column, row[column] ?? null])),
    );
    if (params.format === 'json' || accept.includes('json')) return { json: shown };
    return { text: tableOf(shown, columns, flagIn(params.v ?? 'false', 'v')) };
  },
};

function sizeText(bytes: number): string {
  const units = ['b', 'kb', 'mb', 'gb', 'tb'];
  const at = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** at;
  return `${at === 0 ? value : value.toFixed(1).replace(/\.0$/, '')}${units[at]}`;
}

function tableOf(rows: readonly JsonObject[], columns: readonly string[], hasHead: boolean) {
  const cells = rows.map((row) => columns.map((column) => String(row[column] ?? '')));
  const all = hasHead ? [columns, ...cells] : cells;
  const widths = columns.map((_, at) => Math.max(0, ...all.map((line) => line[at].length)));
  const lines = all.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at]))
      .join(' ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

const aliases: Endpoint = {
  methods: ['GET', 'HEAD'],
  paths: ['/_alias', '/_aliases', '/:index/_alias', '/_alias/:name', '/:index/_alias/:name'],
  operation: 'listAliases',
  params: INDEX_PARAMS,
  async answer(call) {
    const { name: wanted } = call.path;
    const reads = call.reads();
    const names = await listedNames(reads, call.path.index, indexOptions(call.params));
    const patterns = wanted?.split(',').map((one) => (one === '_all' ? '*' : one)) ?? ['*'];
    const all = (await reads.listAliases()).filter(({ alias }) =>
      patterns.some((pattern) => matches(pattern, alias)),
    );
    const entries = names
      .filter((name) => wanted === undefined || all.some(({ index }) => index === name))
      .map((name) => [name, { aliases: aliasesOf(name, all) }] as const);
    const missing = patterns.find((one) => !one.includes('*') && !all.some((a) => a.alias === one));
    const json = Object.fromEntries(entries);
    if (missing === undefined) return { json };
    return {
      status: 404,
      json: { error: `alias [${clipped(missing)}] missing`, status: 404, ...json },
    };
  },
};

const aliasesOf = (name: string, all: readonly Alias[]): JsonObject =>
  Object.fromEntries(
    all.filter(({ index }) => index === name).map(({ alias }) => [alias, {}] as const),
  );

/** What clients show of an index: its aliases, fields and settings. */
const index: Endpoint = {
  methods: ['GET'],
  paths: ['/:index'],
  operation: 'describeIndex',
  params: [...INDEX_PARAMS, 'features', 'flat_settings', 'include_defaults'],
  async answer(call) {
    const all = await call.reads().listAliases();
    const entries = (await indexesOf(call)).map((one) => {
      const mappings = { dynamic: 'false', properties: propertiesOf(one) };
      const described = { aliases: aliasesOf(one.name, all), mappings, ...settingsOf(one) };
      return [one.name, described] as const;
    });
    return { json: Object.fromEntries(entries) };
  },
};

const settings: Endpoint = {
  methods: ['GET'],
  paths: ['/_settings', '/:index/_settings'],
  operation: 'describeIndex',
  params: [...INDEX_PARAMS, 'flat_settings', 'include_defaults'],
  async answer(call) {
    const entries = (await indexesOf(call)).map((one) => [one.name, settingsOf(one)] as const);
    return { json: Object.fromEntries(entries) };
  },
};

const settingsOf = ({ name }: ServedIndex): JsonObject => ({
  settings: {
    index: { number_of_shards: '1', number_of_replicas: '0', provided_name: name, uuid: name },
  },
});

/** The names that a pattern selects, as data views look for them. */
const resolve: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_resolve/index/:index'],
  operation: 'listIndexes',
  params: [...INDEX_PARAMS, 'mode'],
  async answer(call) {
    const reads = call.reads();
    const { ignoreUnavailable } = indexOptions(call.params);
    const options = { ignoreUnavailable, allowNoIndices: true };
    const names = await listedNames(reads, call.path.index, options);
    const known = new Set((await reads.listIndexes()).map(({ name }) => name));
    const listed = (await reads.listAliases()).filter(({ index }) => names.includes(index));
    const patterns = call.path.index.split(',');
    const isNamed = (name: string) => patterns.some((p) => matches(p === '_all' ? '*' : p, name));
    const aliasesOf = (index: string) =>
      listed.filter((one) => one.index === index).map(({ alias }) => alias);
    const indices = names
      .filter((name) => known.has(name) && isNamed(name))
      .map((name) => ({ name, aliases: aliasesOf(name), attributes: ['open'] }));
    const own = (await reads.listAliases()).filter(({ alias }) => isNamed(alias));
    const shown = own.map(({ alias: name, index }) => ({ name, indices: [index] }));
    if (indices.length + shown.length === 0 && !call.path.index.includes('*')) {
      throw noIndex(call.path.index);
    }
    return { json: { indices, aliases: shown, data_streams: [] } };
  },
};

/** Endpoints that describe indexes. */
export const INDEX_ENDPOINTS: readonly Endpoint[] = [
  ...[mapping, fieldMapping, fieldCaps, catIndices, aliases, index, settings, resolve],
];
