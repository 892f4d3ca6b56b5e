import { expect } from 'vitest';
import { TICKETS } from '../support/tickets.ts';
import { INDEX, idsOf, type Row, row, type Section } from './row.ts';

type Ticket = (typeof TICKETS)[number];

/** A feature in the default syntax, in KQL if it differs, and the rows that it finds. */
function feature(
  line: string,
  query: string,
  matches: (ticket: Ticket, n: number) => boolean,
  kql = query,
): Row {
  return row(`${line}: \`${query}\`${kql === query ? '' : `, in KQL \`${kql}\``}`, async (ask) => {
    const wanted = TICKETS.filter(matches).map(({ id }) => id);
    const page = { ...INDEX, limit: 100, sort: [{ field: '_key' }] };
    const found = await ask.ok('search', { ...page, query });
    const foundByKql = await ask.ok('search', { ...page, query: kql, syntax: 'kql' });
    expect(wanted.length).toBeGreaterThan(0);
    expect(idsOf(found).sort()).toEqual([...wanted].sort());
    expect(idsOf(foundByKql)).toEqual(idsOf(found));
    expect(found.total).toBe(wanted.length);
    return found;
  });
}

const has = (word: string) => (ticket: Ticket) => ticket.title.split(' ').includes(word);
const month = (ticket: Ticket) => Number(ticket.at.slice(5, 7));

/** The query string in both syntaxes, with plain loops over the rows as the oracle. */
export const QUERY_ROWS: Section = {
  title: 'Query string, both syntaxes',
  rows: [
    feature('field term', 'title:timeout', has('timeout')),
    feature('bare term on the first TEXT field', 'timeout', has('timeout')),
    feature('phrase', 'title:"payment timeout"', (t) => t.title.startsWith('payment timeout')),
    feature(
      'grouped set, the same matches as the clauses joined by OR',
      'title:(payment OR login)',
      (t) => /^(payment|login)/.test(t.title),
      'title:(payment or login)',
    ),
    feature('numeric range, inclusive', 'size:[10 TO 20]', (_, n) => n >= 10 && n <= 20),
    feature('numeric range, exclusive', 'size:{10 TO 20}', (_, n) => n > 10 && n < 20),
    feature('numeric range, mixed bounds', 'price:[5 TO 7}', (t) => t.price >= 5 && t.price < 7),
    feature('numeric range, open bound', 'size:[50 TO *]', (_, n) => n >= 50 || n === 5),
    feature('date range by ISO dates', 'at:[2026-02-01 TO 2026-03-31]', (t) => {
      return month(t) === 2 || month(t) === 3;
    }),
    feature(
      'date range by epoch microseconds',
      `at:[${Date.UTC(2026, 1, 1)}000 TO ${Date.UTC(2026, 2, 31)}000]`,
      (t) => month(t) === 2 || month(t) === 3,
    ),
    feature('CIDR', 'host:10.0.2.0/24', (t) => t.host.startsWith('10.0.2.')),
    feature('wildcard', 'title:pay*', has('payment')),
    feature('prefix of a KEYWORD', 'status:clo*', (t) => t.status === 'closed'),
    feature('fuzzy', 'title:timeuot~2', has('timeout')),
    feature('fuzzy on the default field', 'timeuot~2', has('timeout')),
    feature('boost, which changes no matches', 'title:login^3', has('login')),
    feature('bool term', 'ok:true', (t) => t.ok),
    feature('bool term', 'ok:false', (t) => !t.ok),
    feature('negation with -', '-title:timeout', (t) => !has('timeout')(t)),
    feature(
      'negation with NOT',
      'NOT title:timeout',
      (t) => !has('timeout')(t),
      'not title:timeout',
    ),
    feature('match-all', '*:*', () => true),
    feature('regular expression on a KEYWORD', 'status:/o.+n/', (t) => t.status === 'open'),
    feature('variant path', 'meta.kind:push', (t) => t.meta.kind === 'push'),
    feature('text of a variant', 'meta:merged', () => true),
    feature('typed path of a shape', 'meta.commits:[0 TO 9]', (t, n) => {
      return t.meta.kind === 'push' && n <= 9;
    }),
    feature('keyword terms are exact', 'status:open', (t) => t.status === 'open'),
    row('no other text is that term: `status:ope`, `status:Open`', async (ask) => {
      const found = ['status:ope', 'status:Open'].map((query) =>
        ask.ok('search', { ...INDEX, query }),
      );
      expect((await Promise.all(found)).map(({ total }) => total)).toEqual([0, 0]);
      return null;
    }),
    row('a date as ISO text and as epoch microseconds is one instant', async (ask) => {
      const instant = Date.UTC(2026, 1, 3);
      const queries = [
        'at:2026-02-03',
        `at:${instant}000`,
        `at:"${new Date(instant).toISOString()}"`,
      ];
      const found = await Promise.all(
        queries.map(async (query) => idsOf(await ask.ok('search', { ...INDEX, query }))),
      );
      expect(found).toEqual([found[0], found[0], found[0]]);
      expect(found[0]).toHaveLength(5);
      return found;
    }),
    row(
      'a row whose discriminator has no shape: found by flatten, without typed fields',
      async (ask) => {
        const totalOf = async (query: string) =>
          (await ask.ok('search', { ...INDEX, query })).total;
        expect(await totalOf('meta.commits:4')).toBe(1);
        expect(await totalOf('meta.commits:[4 TO 4]')).toBe(0);
        return null;
      },
    ),
    row('KQL has lower-case `and`, which is a word in the default syntax', async (ask) => {
      const totalOf = async (syntax: string) =>
        (await ask.ok('search', { ...INDEX, query: 'payment and down', syntax })).total;
      expect([await totalOf('default'), await totalOf('kql')]).toEqual([40, 10]);
      return null;
    }),
    feature(
      'boolean operators',
      'title:payment AND ok:true',
      (t) => has('payment')(t) && t.ok,
      'title:payment and ok:true',
    ),
    row('a boost changes the score', async (ask) => {
      const scoreOf = async (query: string) =>
        (await ask.ok('search', { ...INDEX, query, limit: 1 })).hits[0].score;
      const [plain, boosted] = [await scoreOf('title:login'), await scoreOf('title:login^3')];
      expect(boosted).toBeCloseTo(3 * plain, 5);
      return boosted;
    }),
    row('other TEXT fields must be qualified', async (ask) => {
      const { total } = await ask.ok('search', { ...INDEX, query: 'words:timeout' });
      expect(total).toBe(30);
      return total;
    }),
    row('sort, range and aggregation require fast fields: 400', async (ask) => [
      await ask.refused(400, 'search', { ...INDEX, query: '*:*', sort: [{ field: 'words' }] }),
      await ask.refused(400, 'search', {
        ...INDEX,
        query: 'status:[1 TO 2]' + ' AND title:[1 TO 2]',
      }),
      await ask.refused(400, 'aggregate', { ...INDEX, aggs: { a: { terms: { field: 'words' } } } }),
    ]),
    row('structured query (`ast`) instead of a query string', async (ask) => {
      const ast = { bool: { must: [{ term: { field: 'status', value: 'closed' } }] } };
      const body = await ask.ok('search', { ...INDEX, ast });
      expect(body.total).toBe(TICKETS.filter(({ status }) => status === 'closed').length);
      return body;
    }),
    row('an unknown syntax is refused: 400', (ask) =>
      ask.refused(400, 'search', { ...INDEX, query: 'a', syntax: 'sql' }),
    ),
  ],
};
