import type { SearchRequest, SemanticRequest } from '@lakehouse-search/contract';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, type Value } from '@lakehouse-search/lake';
import { seededBelow } from './random.ts';
import { schemaOf } from './schema.ts';
import type { SmallLake } from './small-lake.ts';

/** A search by words or by meaning. */
export type Query =
  | Pick<SearchRequest, 'query' | 'sort'>
  | Pick<SemanticRequest, 'query_text' | 'k'>;

/** Everything that a reader sees: documents, digest, and hits of queries with their scores. */
export async function seen(engine: LocalEngine, index: string, queries: readonly Query[]) {
  const documents = await Array.fromAsync(engine.exportDocuments({ index }));
  const { digest } = await engine.verify({ index });
  const answers = [];
  for (const request of queries) {
    const { hits, total } =
      'query_text' in request
        ? await engine.semantic({ index, ...request })
        : await engine.search({ index, limit: 30, ...request });
    const shown = hits.map(({ coordinates, score }) => ({ coordinates, score }));
    answers.push({ request, total, hits: shown });
  }
  const key = (row: object) => JSON.stringify(row);
  return { digest, answers, documents: documents.map(key).sort() };
}

export const schema = schemaOf({
  repo: 'string',
  id: 'long',
  title: 'string',
  body: 'string',
  size: 'long',
  part: 'double',
  at: 'timestamptz',
});
/** The fields of an index over the table, with a TEXT of two columns and a VECTOR. */
export const FIELDS = `fields:
  - { name: words, type: TEXT, source: [title, body], analyzer: simple, cached: true }
  - { name: body, type: TEXT }
  - { name: title, type: KEYWORD, fast: true, cached: true }
  - { name: size, type: LONG, fast: true }
  - { name: part, type: DOUBLE, cached: true }
  - { name: at, type: DATE, fast: true }
  - { name: meaning, type: VECTOR, source: title }
default_fields: [words]
`;
export const KEY = 'key: { partition: [repo], identifier: [id] }\n';

/** Rows of the table and queries of its index, at random. */
export interface RandomRows {
  readonly below: (limit: number) => number;
  readonly row: (id: number) => Readonly<Record<string, unknown>>;
  readonly query: () => Query;
}

/** Rows and queries that follow from a seed. */
export function randomRows(seed: number): RandomRows {
  const below = seededBelow(seed);
  const maybe = <T extends Value>(value: T): T | null => (below(8) === 0 ? null : value);
  const text = (words: number) =>
    Array.from({ length: 1 + below(words) }, () => `w${Math.floor(below(40) ** 2 / 40)}`).join(' ');
  const row = (id: number) => ({
    repo: `r${id % 3}`,
    id: BigInt(id),
    title: maybe(text(4)),
    body: maybe(text(25)),
    size: maybe(BigInt(below(100))),
    part: maybe(below(1000) / 7),
    at: new Date(1.7e12 + below(1e6) * 1e4).toISOString(),
  });

  const word = () => `w${below(40)}`;
  const query = (): Query => {
    const kinds: (() => Query)[] = [
      () => ({ query: word() }),
      () => ({ query: `${word()} ${word()}` }),
      () => ({ query: `"${word()} ${word()}"` }),
      () => ({ query: `body:${word()} AND size:>${below(100)}` }),
      () => ({ query: `words:w${below(4)}*` }),
      () => ({ query: `${word()} NOT ${word()}`, sort: [{ field: 'size', desc: true }] }),
      () => ({ query: `title:"${text(2)}" OR ${word()}` }),
      () => ({ query_text: text(3), k: 10 }),
    ];
    return kinds[below(kinds.length)]();
  };
  return { below, row, query };
}

/** Fills a lake with a table of nine files and deleted rows, and makes an index over it. */
export async function fillLake(
  lake: SmallLake,
  { row }: RandomRows,
  definition: string,
): Promise<void> {
  await lake.create(schema);
  for (let file = 0; file < 9; file++)
    await lake.append(Array.from({ length: 20 + 40 * file }, (_, i) => row(file * 1000 + i)));
  await deleteRows(lake.source, 'id % 11 = 3');
  await lake.define(definition);
}
