/** An index that is defined as an object, and typed searches of it. */
import { defineIndex, q, typed } from '@lakehouse-search/engine';
import { appendRows, type Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', type: { kind: 'long' }, required: true },
    { id: 2, name: 'title', type: { kind: 'string' }, required: false },
    { id: 3, name: 'service', type: { kind: 'string' }, required: false },
  ],
};

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  const services = ['billing', 'search', 'billing: #1'];
  const rows = services.map((service, id) => ({ id, title: `timeout ${id}`, service }));
  await appendRows(lake.source, { kind: 'rows', rows });
});
afterAll(() => lake.close());

describe('a typed definition', () => {
  it('is created from the object, and answers as its types say', async () => {
    const incidents = defineIndex({
      version: 1,
      index: 'incidents',
      description: 'yes: "no" # {braces}',
      source: lake.source,
      key: { identifier: ['id'] },
      default_fields: undefined,
      fields: [
        { name: 'title', type: 'TEXT', cached: true },
        { name: 'service', type: 'KEYWORD', fast: true, cached: true },
        { name: 'id', type: 'LONG', cached: true },
      ],
    });
    const { definition } = incidents;
    expect(await lake.backend.validateDefinition({ definition, against_source: true })).toEqual([]);
    await lake.backend.createIndex({ definition });
    await lake.backend.reindex({ index: incidents.name });
    const backend = typed(lake.backend, incidents);
    const found = await backend.search({
      index: 'incidents',
      query: 'timeout',
      filter: q.not(q.term('service', 'search')),
      fields: ['service', 'id'],
      sort: [{ field: 'id', desc: true }],
      facets: { fields: ['service'] },
      aggs: { by: { terms: { field: 'service' }, aggs: { most: { max: { field: 'id' } } } } },
    });
    const pages = found.hits.map((hit) => [hit.id, hit.fields.service, hit.fields.id]);
    expect(pages).toEqual([
      ['2', 'billing: #1', 2],
      ['0', 'billing', 0],
    ]);
    const groups = found.aggs.by.buckets.map(({ key, aggs }) => [key, aggs.most.value]);
    expect(groups).toEqual([
      ['billing', 0],
      ['billing: #1', 2],
    ]);
    expect(found.facets[0]?.field).toBe('service');
    const { description } = await lake.backend.describeIndex({ index: 'incidents' });
    expect(description).toBe('yes: "no" # {braces}');
  });
});
