import { describe, expect, it } from 'vitest';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { METHODS } from './methods.ts';

const { search, getKeys, backupStatus, sync, aggregate } = METHODS;
const sent = (value: unknown, message = search.input) =>
  decodeMessage(message, encodeMessage(message, value), 'request');
const answered = (value: unknown, message = search.output) =>
  decodeMessage(message, encodeMessage(message, value), 'response');

const response = {
  hits: [
    {
      coordinates: { identifier: [{ name: 'id', value: 'a' }] },
      key: 'id=a',
      id: 'a',
      score: 1.5,
      sort: [null],
    },
  ],
  total: 3,
  shards_scanned: 1,
  shards_total: 1,
  snapshot: null,
  index_generation: 0,
  took_ms: 0.25,
  lag_snapshots: null,
};

describe('messages', () => {
  it('carry a request as it is', () => {
    const request = {
      index: 'notes',
      query: 'disk',
      ast: { term: { field: 'a', value: 2 ** 53 } },
      limit: 0,
      hydrate: false,
      sort: [{ field: '_score', desc: true }],
      search_after: [1.5, 'x', null],
      highlight: {},
    };
    expect(sent(request)).toEqual(request);
    expect(sent({})).toEqual({});
  });

  it('keep an empty list apart from an absent one', () => {
    expect(sent({ fields: [], highlight: { fields: [] } })).toEqual({
      fields: [],
      highlight: { fields: [] },
    });
  });

  it('carry a response as it is: zeros, nulls, nested JSON', () => {
    expect(answered(response)).toEqual(response);
    const full = { ...response, partial: true, aggs: { a: { value: 1, exact: true } }, notes: [] };
    expect(answered(full)).toEqual(full);
  });

  it('keep null apart from absent where both are possible', () => {
    const absent = { configured: true, present: false };
    expect(answered(absent, backupStatus.output)).toEqual(absent);
    const empty = { ...absent, snapshot: null };
    expect(answered(empty, backupStatus.output)).toEqual(empty);
  });

  it('carry counts by name, whatever the name', () => {
    const counts = JSON.parse('{"__proto__": 3, "vec": 4503599627370497}') as object;
    const done = { ...response, without_vector: counts };
    const back = answered(done, sync.output) as { without_vector: object };
    expect(Object.entries(back.without_vector)).toEqual(Object.entries(counts));
    expect((answered({ without_vector: {} }, sync.output) as typeof back).without_vector).toEqual(
      {},
    );
  });

  it('carry a filter as a query string or as a tree', () => {
    expect(sent({ filter: 'service:api' })).toEqual({ filter: 'service:api' });
    expect(sent({ filter: { term: { a: 1 } } })).toEqual({ filter: { term: { a: 1 } } });
    expect(sent({ filter: '{1 TO 3}' })).toEqual({ filter: ' {1 TO 3}' });
    const aggs = '{"a": {"stats": {"field": "x"}}}';
    expect(sent({ aggs }, aggregate.input)).toEqual({ aggs: ` ${aggs}` });
  });

  it('leave what a caller left out to the check of the request', () => {
    expect(sent({}, getKeys.input)).toEqual({ keys: [] });
    expect(sent({ keys: [{}] }, getKeys.input)).toEqual({ keys: [{ identifier: [] }] });
  });

  it('refuse unknown fields of a request and skip those of a response', () => {
    // field 99, a varint
    const unknown = Uint8Array.of(0x98, 0x06, 0x01);
    expect(() => decodeMessage(search.input, unknown, 'request')).toThrow(
      'unknown field 99 of the message SearchRequest',
    );
    expect(decodeMessage(search.input, unknown, 'response')).toEqual({});
  });

  it('refuse damaged bytes with the name of the message', () => {
    const bytes = encodeMessage(search.output, response);
    for (let cut = 1; cut < bytes.length; cut++) {
      try {
        decodeMessage(search.output, bytes.subarray(0, cut), 'request');
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_argument' });
      }
    }
    expect(() => decodeMessage(search.input, Uint8Array.of(0x0a, 0x7f, 0x01), 'request')).toThrow(
      'the bytes are no message SearchRequest',
    );
  });
});
