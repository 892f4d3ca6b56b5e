import {
  CATALOG_SETTINGS,
  CATALOG_TYPES,
  REQUEST_LIMITS,
  S3_SETTINGS,
  type SettingKind,
} from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import { FIELD_TYPES, SIMILARITIES, VECTOR_INDEXES, VECTOR_SEARCHES } from '../definition.ts';
import { KEY_BUCKETS } from '../sharding/key-buckets.ts';
import { WINDOW_UNITS } from '../windows.ts';

type Json = boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const text: JsonObject = { type: 'string', minLength: 1 };
const words: JsonObject = { ...text, maxLength: LIMITS.descriptionChars };
const flag: JsonObject = { type: 'boolean' };
const texts: JsonObject = { type: 'array', items: text, uniqueItems: true, minItems: 1 };
const textOrTexts: JsonObject = { anyOf: [text, texts] };
const name: JsonObject = { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,127}$' };
const list = (items: Json): JsonObject => ({ type: 'array', items });

const synonyms = list({
  anyOf: [text, { ...list(text), minItems: 2, maxItems: LIMITS.synonymTexts }],
});

function closed(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

const SETTINGS: JsonObject = {
  type: { enum: FIELD_TYPES },
  description: words,
  indexed: flag,
  fast: flag,
  cached: flag,
  sensitive: flag,
  max_bytes: { type: 'integer', minimum: 1, maximum: 1_073_741_824 },
  folded: flag,
  analyzer: text,
  synonyms: { oneOf: [synonyms, { const: false }] },
  best_documents: flag,
  format: { enum: ['epoch_s', 'epoch_ms', 'epoch_us'] },
};

const VECTOR: JsonObject = {
  dims: { type: 'integer', minimum: 1, maximum: LIMITS.vectorDims },
  model: text,
  similarity: { enum: SIMILARITIES },
  index: { enum: VECTOR_INDEXES },
  search: { enum: VECTOR_SEARCHES },
};

const settings = (kinds: Readonly<Record<string, SettingKind>>): JsonObject =>
  Object.fromEntries(Object.entries(kinds).map(([key, kind]) => [key, settingOf(kind)]));

/** The schema of a setting of a catalog. */
function settingOf(kind: SettingKind): JsonObject {
  if (kind === 's3') return S3;
  if (kind === 'flag') return flag;
  return kind === 'folders' ? { anyOf: [text, list(text)] } : text;
}

const S3 = closed(settings(S3_SETTINGS));
const CATALOG: JsonObject = {
  oneOf: CATALOG_TYPES.map((type) =>
    closed({ type: { const: type }, ...settings(CATALOG_SETTINGS[type].settings) }, [
      'type',
      CATALOG_SETTINGS[type].required,
    ]),
  ),
};

const SHAPE = closed(
  {
    name: text,
    when: { anyOf: [{ type: ['string', 'number', 'boolean'] }, { type: 'array' }] },
    fields: list(closed({ path: text, ...SETTINGS, ...VECTOR }, ['path', 'type'])),
  },
  ['name', 'fields'],
);

const VARIANT = closed(
  { column: text, flatten: flag, analyzer: text, discriminator: text, shapes: list(SHAPE) },
  ['column'],
);

const SHARDING = closed({
  shards: { type: 'integer', minimum: 1, maximum: LIMITS.shards },
  buckets: { const: KEY_BUCKETS },
  map: list(text),
  only: list({ type: 'integer', minimum: 0, maximum: LIMITS.shards - 1 }),
});

/**
 * The JSON Schema (draft 2020-12) of a definition, for editors that complete and underline while
 * one writes. It knows the shape alone: what only the whole or the table can tell is `lhs index
 * validate`'s.
 */
export function definitionJsonSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'definition of a search index',
    ...closed(
      {
        version: { const: 1 },
        index: name,
        description: words,
        source: {
          oneOf: [
            closed({ catalog: CATALOG, table: text, ref: text }, ['catalog', 'table']),
            closed({ path: text, ref: text, s3: S3 }, ['path']),
          ],
        },
        key: {
          oneOf: [{ const: 'row' }, closed({ partition: textOrTexts, identifier: textOrTexts })],
        },
        on_duplicate_key: { enum: ['refuse', 'last'] },
        on_bad_row: { enum: ['refuse', 'skip'] },
        freshness_ms: { type: 'integer', minimum: 0, maximum: LIMITS.pollMillis },
        keep_previous: {
          oneOf: [
            { type: 'integer', minimum: 0, maximum: LIMITS.keptGenerations },
            { type: 'string', pattern: '^[0-9]{1,9}[smhd]$' },
          ],
        },
        tenant_field: text,
        hybrid: closed({
          fusion: { enum: ['rrf', 'scores'] },
          weight: { type: 'number', minimum: 0, maximum: 1 },
          depth: { type: 'integer', minimum: 1, maximum: REQUEST_LIMITS.nearestDocs },
        }),
        default_fields: { ...list(text), minItems: 1, maxItems: LIMITS.defaultFields },
        fields: {
          ...list(
            closed({ name: text, source: textOrTexts, ...SETTINGS, ...VECTOR }, ['name', 'type']),
          ),
          maxItems: LIMITS.definitionFields,
        },
        variants: list(VARIANT),
        synonyms: { anyOf: [synonyms, text] },
        analyzers: list({
          type: 'object',
          properties: { name, tokenizer: text, filters: { type: 'array' } },
          required: ['name', 'tokenizer'],
        }),
        sharding: SHARDING,
        windows: closed(
          {
            field: text,
            every: { enum: [...WINDOW_UNITS] },
            hot: { type: 'integer', minimum: 0, maximum: LIMITS.windows },
          },
          ['field', 'every'],
        ),
        storage: text,
        replicas: { type: 'integer', minimum: 0, maximum: LIMITS.replicas },
      },
      ['version', 'index', 'source'],
    ),
  };
}
