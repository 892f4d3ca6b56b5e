/** An index that is defined as an object, and typed searches of it. */
import { defineIndex, q, typed } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  id: 'long',
  title: 'string',
  service: 'string',
  load: 'double',
  loads: { kind: 'list', elementId: 6, elementRequired: false, element: { kind: 'double' } },
});

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const services = ['billing', 'search', 'billing: #1'];
  const loads = ['NaN', 1.5, '-Infinity'];
  const rows = services.map((service, id) => {
    return { id, title: `timeout ${id}`, service, load: loads[id], loads };
  });
  await lake.create(schema, { rows });
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
    const validated = { definition: incidents, against_source: true };
    expect(await lake.backend.validateDefinition(validated)).toEqual([]);
    await lake.backend.createIndex({ definition: incidents });
    await lake.backend.reindex({ index: incidents.name });
    const backend = typed(lake.library, incidents);
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

  it('has NaN and infinities as numbers in fields and figures', async () => {
    const numbers = defineIndex(
      {
        version: 1,
        index: 'numbers',
        source: lake.source,
        key: { identifier: ['id'] },
        fields: [
          { name: 'title', type: 'KEYWORD', source: 'service', fast: true, cached: true },
          { name: 'load', type: 'DOUBLE', cached: true },
          { name: 'loads', type: 'DOUBLE', cached: true },
        ],
      },
      { lists: ['loads'] },
    );
    await lake.append([{ id: 3, title: '', service: 'NaN', load: 'Infinity', loads: [] }]);
    await lake.backend.createIndex({ definition: numbers });
    await lake.backend.reindex({ index: 'numbers' });
    const backend = typed(lake.library, numbers);
    const field = 'load';
    const aggs = {
      by: { terms: { field, order: { _key: 'asc' } }, aggs: { max: { max: { field } } } },
      names: { terms: { field: 'title', include: ['NaN'] } },
      stats: { stats: { field } },
      parts: { percentiles: { field, percents: [0, 100] } },
    } as const;
    const request = { index: 'numbers', sort: [{ field: '_key' }] } as const;
    const { hits, aggs: counts } = await backend.search({ ...request, aggs });
    const [minus, plus, none] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN];
    expect(hits.map(({ fields }) => fields.load)).toEqual([none, 1.5, minus, plus]);
    expect(hits[0].fields).toEqual({ title: 'billing', load: none, loads: [none, 1.5, minus] });
    expect(hits[3].fields.title).toBe('NaN');
    expect(counts.by.buckets.map(({ key, aggs }) => [key, aggs.max.value])).toEqual(
      [minus, 1.5, plus, none].map((value) => [value, value]),
    );
    expect(counts.names.buckets).toEqual([{ key: 'NaN', doc_count: 1 }]);
    expect(counts.stats).toEqual({ count: 4, min: minus, max: none, sum: none, avg: none });
    expect(counts.parts.values.map(({ value }) => value)).toEqual([minus, plus]);
    expect((await backend.aggregate({ index: 'numbers', aggs })).results).toEqual(counts);
    const loads: (number | undefined)[] = [];
    for await (const { fields } of backend.hits(request)) loads.push(fields.load);
    expect(loads).toEqual([none, 1.5, minus, plus]);
  });

  it('makes the index that its text makes, as an object with or without types', async () => {
    const fields = [{ name: 'title', type: 'TEXT' }] as const;
    const object = { version: 1, index: 'same', source: lake.source, fields } as const;
    const defined = defineIndex(object);
    const described = [];
    for (const definition of [object, defined, defined.definition]) {
      described.push(await lake.backend.createIndex({ definition }));
      for (const definition_yaml of [object, defined, defined.definition]) {
        const plan = await lake.backend.alterIndex({ index: 'same', definition_yaml });
        expect(plan.is_noop).toBe(true);
      }
      await lake.backend.dropIndex({ index: 'same' });
    }
    expect(described).toEqual([described[0], described[0], described[0]]);
    const wider = { ...object, fields: [...fields, { name: 'id', type: 'LONG' } as const] };
    await lake.backend.createIndex({ definition: object });
    await lake.backend.alterIndex({ definition_yaml: wider, index: 'same', apply: true });
    const { fields: now } = await lake.backend.describeIndex({ index: 'same' });
    expect(now.map(({ name }) => name)).toEqual(['title', 'id']);
  });

  it('refuses what is neither a text nor a definition', async () => {
    const wrong = { definition: [{ version: 1 }] } as never;
    await expect(lake.backend.createIndex(wrong)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('"definition"'),
    });
    const unnamed = { definition: { version: 1 } } as never;
    await expect(lake.backend.createIndex(unnamed)).rejects.toMatchObject({
      code: 'invalid_definition',
    });
  });
});
