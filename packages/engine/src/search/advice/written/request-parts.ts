/** The parts of requests in SQL and in words: `SELECT avg(Price) FROM cars`, `top 10 Sales`. */

/** What the end of a text says, from the last one on. */
const ENDS = {
  limit: /\s+limit\s+(\d+)$/i,
  order: /(?:^|\s+)(?:order|ordered|sort|sorted)\s+by\s+(.+)$/i,
  group: /(?:^|\s+)(?:group|grouped)\s+by\s+(.+)$/i,
  where: /(?:^|\s+)where\s+(.+)$/is,
} as const;
const FIGURES = 'avg|average|mean|sum|min|minimum|max|maximum';
const CALL = String.raw`(?:${FIGURES}|count)\s*\([^()]*\)`;
/** What the begin of a text says, the first that fits. */
const BEGINS = [
  /^select\s+(?:top\s+(?<limit>\d+)\s+)?(?<list>.+?)(?:\s+from\s+\S+)?$/is,
  new RegExp(String.raw`^(?<list>${CALL}(?:\s*,\s*${CALL})*)(?:\s+from\s+\S+)?$`, 'is'),
  new RegExp(`^(?<list>(?:${FIGURES})(?: +of)? .+?)(?: +(?:by|per) +(?<group>.+))?$`, 'i'),
  /^(?<list>count) +(?:by|per) +(?<group>.+)$/i,
  /^(?:top|highest|largest|biggest)(?: +(?<limit>\d+))? +(?:\S.* by +)?(?<descending>.+)$/i,
  /^(?:bottom|lowest|smallest)(?: +(?<limit>\d+))? +(?:\S.* by +)?(?<order>.+)$/i,
  /^(?<query>.*)$/s,
];

/** The parts as they are written; a list of names, figures and orders has commas. */
export type RequestParts = Readonly<
  Partial<Record<'list' | 'query' | 'where' | 'group' | 'order' | 'descending' | 'limit', string>>
>;

/** The parts of a text; undefined: it is a query or some words. */
export function requestParts(text: string): RequestParts | undefined {
  let rest = text.trim().replace(/\s*;$/, '');
  const parts: Record<string, string> = {};
  for (const [name, pattern] of Object.entries(ENDS)) {
    const found = pattern.exec(rest);
    if (found === null) continue;
    parts[name] = found[1];
    rest = rest.slice(0, found.index);
  }
  for (const pattern of BEGINS) {
    const { groups } = pattern.exec(rest) ?? {};
    if (groups === undefined) continue;
    const written = Object.entries(groups).filter(([, part]) => part !== undefined);
    const all: RequestParts = { ...parts, ...Object.fromEntries(written) };
    const isRequest = all.query === undefined || all.order !== undefined || all.group !== undefined;
    return isRequest && !(all.query && all.where) ? all : undefined;
  }
  return undefined;
}

/** The parts of a list, without the names behind AS. */
export const listOf = (text: string): readonly string[] =>
  text.split(/,(?![^(]*\))/).map((part) => part.trim().replace(/\s+as\s+\S+$/i, ''));

/** A figure as it is written. */
export interface Figure {
  readonly kind: 'avg' | 'sum' | 'min' | 'max' | 'count' | 'cardinality';
  /** `*`: of all rows. */
  readonly of: string;
}

const KINDS = ['avg', 'aver', 'mean', 'sum', 'min', 'max', 'count'] as const;
const FIGURE = new RegExp(
  String.raw`^(${FIGURES}|count)(?:\s*\(\s*([^()]*?)\s*\)|(?: +of)? +(.+)|$)`,
  'i',
);

/** The figure of `avg(Price)` or `average Price`; undefined: it is none. */
export function figureOf(text: string): Figure | undefined {
  const [, name = '', called, named] = FIGURE.exec(text) ?? [];
  const of = called ?? named ?? '*';
  const [, distinct] = /^distinct\s+(.+)$/i.exec(of) ?? [];
  if (distinct !== undefined) return { kind: 'cardinality', of: distinct };
  const kind = KINDS.find((one) => name.toLowerCase().startsWith(one));
  return kind && { kind: kind === 'mean' || kind === 'aver' ? 'avg' : kind, of };
}
