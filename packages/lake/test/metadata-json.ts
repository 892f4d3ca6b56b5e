import type { JsonObject } from '../src/base/json.ts';

/** Metadata of a table of format 2 without snapshots; `over` replaces members. */
export const metadataJson = (over: JsonObject = {}): JsonObject => ({
  'format-version': 2,
  'table-uuid': '6228f25b-d7b2-4d50-b544-46eb6965e800',
  'last-sequence-number': 0,
  'last-updated-ms': 1,
  'last-column-id': 1,
  'current-schema-id': 0,
  schemas: [
    {
      type: 'struct',
      'schema-id': 0,
      fields: [{ id: 1, name: 'id', required: true, type: 'long' }],
    },
  ],
  'default-spec-id': 0,
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'last-partition-id': 999,
  ...over,
});
