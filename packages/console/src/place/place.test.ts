import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hrefOf, type Place, placeOf, searchOf } from './place.ts';

const text = fc.string({ unit: 'binary' });
const name = fc.string({ unit: 'grapheme', minLength: 1 });
const word = fc.stringMatching(/^[a-z_.]{1,12}$/);

const value = text.map((one) => one.toWellFormed());
const bound = fc.constantFrom('now-7d', '2024-01-01T00:00:00Z', '-1.5');
const filter = fc.oneof(
  fc.record({ kind: fc.constantFrom('is', 'not'), field: word, value }),
  fc.record({ kind: fc.constantFrom('missing', 'present'), field: word }),
  fc.record(
    { kind: fc.constant('range'), field: word, from: bound, to: bound },
    { requiredKeys: ['kind', 'field'] },
  ),
);

const search = fc
  .record(
    {
      index: name,
      query: text.map((one) => one.toWellFormed()),
      mode: fc.constantFrom('lexical', 'semantic', 'hybrid'),
      syntax: fc.constant('kql'),
      filters: fc.array(filter),
      sort: fc.array(
        fc.oneof(
          name.filter((one) => !one.startsWith('-')).map((field) => ({ field })),
          name.map((field) => ({ field, desc: true })),
        ),
      ),
      collapse: name,
      page: fc.integer({ min: 1, max: 1000 }),
      after: name,
      histogram: fc.constantFrom('', 'opened_at'),
      columns: fc.array(name),
      row: fc.array(
        fc.tuple(
          name,
          text.map((one) => one.toWellFormed()),
        ),
        { minLength: 1 },
      ),
    },
    { requiredKeys: ['query', 'mode', 'filters', 'sort', 'page'] },
  )
  .map((fields) => ({ screen: 'search', ...fields }) as Place);

const others: fc.Arbitrary<Place> = fc.oneof(
  fc.constantFrom<Place>(
    { screen: 'indexes' },
    { screen: 'jobs' },
    { screen: 'aliases' },
    { screen: 'saved' },
    { screen: 'accounts' },
    { screen: 'requests' },
  ),
  name.map((index) => ({ screen: 'index', index }) as const),
  name.map((index) => ({ screen: 'jobs', index }) as const),
  name.map((job) => ({ screen: 'job', job }) as const),
  name.map((operation) => ({ screen: 'requests', operation }) as const),
);

describe('places', () => {
  it('come back from their URL', () => {
    fc.assert(
      fc.property(fc.oneof(search, others), (place) => {
        expect(placeOf(hrefOf(place))).toEqual(place);
      }),
    );
  });

  it('are short for a plain search', () => {
    expect(hrefOf(searchOf())).toBe('#/search');
    expect(hrefOf(searchOf('demo', 'a b'))).toBe('#/search/demo?q=a+b');
  });

  it('of any text are places', () => {
    fc.assert(fc.property(text, (hash) => typeof placeOf(hash).screen === 'string'));
    expect(placeOf('')).toEqual(searchOf());
    expect(placeOf('#/search/x?page=-3&mode=odd&f=nocolon&sort=&row=')).toEqual(searchOf('x'));
    expect(placeOf('#/indexes/%E0%A4%A')).toEqual({ screen: 'index', index: '%E0%A4%A' });
  });
});
