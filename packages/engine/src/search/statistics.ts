import type { Clause } from '../query/bind/clause.ts';
import {
  allParts,
  exactTerms,
  isCompoundModule,
  moduleOf,
  scoringParts,
} from '../query/clauses/registry.ts';
import { type FieldFigures, type TermsOfField, termMapKey } from '../query/weight/statistics.ts';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';

/** Terms whose figures are cached per commit, at most. */
const CACHED_TERMS = 65_536;

/** The figures of a field and of some of its terms over all shards. */
interface FieldTotals {
  docs: number;
  tokens: number;
  readonly frequencies: Map<string, number>;
}

type Totals = Map<number, FieldTotals>;

/** Tenants whose figures are cached per commit, at most. */
const CACHED_TENANTS = 256;

/** By commit, then by tenant (`undefined`: all documents). */
const caches = new WeakMap<object, Map<string | undefined, Totals>>();

/**
 * The figures of all shards for the terms of clauses; null where one shard is the whole index,
 * whose own figures are those of all, and the caller has no tenant. The figures of a tenant count
 * its live documents alone. `part`: the terms that score, or those of all clauses.
 */
export async function mergedStatistics(
  fan: FanOut,
  { snapshot, tenant }: Pick<SearchContext, 'snapshot' | 'tenant'>,
  clauses: readonly Clause[],
  part: 'scoring' | 'all' = 'scoring',
): Promise<readonly FieldFigures[] | null> {
  if (fan.alone && tenant === undefined) return null;
  const fields = clauseTerms(clauses, part);
  const cache = cacheOf(snapshot, tenant);
  const missing = missingTerms(cache, fields);
  let totals = cache;
  if (missing.length > 0) {
    const whose = tenant === undefined ? {} : { tenant };
    const answers = await fan.ask((shard) => shard.statistics({ fields: missing, ...whose }));
    // The figures of a part of the shards hold for this answer only.
    if (fan.failed > 0) totals = copyOf(cache);
    saveTotals(totals, missing, answers);
  }
  const merged = fields.map((named) => figuresOf(totals, named));
  if (termCount(cache) > CACHED_TERMS) cache.clear();
  return merged;
}

/** The figures of all shards for some terms, in the order of `fields`. */
export async function termFrequencies(
  fan: FanOut,
  { tenant }: Pick<SearchContext, 'tenant'>,
  fields: readonly TermsOfField[],
): Promise<readonly Pick<FieldFigures, 'docs' | 'frequencies'>[]> {
  const whose = tenant === undefined ? {} : { tenant };
  const answers = await fan.ask((shard) => shard.statistics({ fields, ...whose }));
  return fields.map(({ terms }, i) => {
    const own = answers.flatMap((answer) => (answer === undefined ? [] : [answer[i]]));
    const sum = (of: (one: FieldFigures) => number) => own.reduce((all, one) => all + of(one), 0);
    return {
      docs: sum(({ docs }) => docs),
      frequencies: terms.map((_, t) => sum(({ frequencies }) => frequencies[t])),
    };
  });
}

/** Whether any term of each clause is in an index; undefined where it has none, or a shard fails. */
export async function areFound(
  fan: FanOut,
  { tenant }: Pick<SearchContext, 'tenant'>,
  clauses: readonly Clause[],
): Promise<readonly (boolean | undefined)[]> {
  const whose = tenant === undefined ? {} : { tenant };
  const terms = clauses.map((clause) => clauseTerms([clause], 'all'));
  const answers = await fan.ask((shard) => shard.statistics({ fields: terms.flat(), ...whose }));
  if (fan.failed > 0) return [];
  let at = 0;
  return terms.map((fields) => {
    const from = at;
    at += fields.length;
    const figures = answers.flatMap((answer) => answer?.slice(from, at) ?? []);
    if (fields.length === 0) return undefined;
    return figures.some(({ frequencies }) => frequencies.some((count) => count > 0));
  });
}

function cacheOf(commit: object, tenant: string | undefined): Totals {
  let tenants = caches.get(commit);
  if (tenants === undefined) caches.set(commit, (tenants = new Map()));
  let cache = tenants.get(tenant);
  if (cache === undefined) {
    if (tenants.size >= CACHED_TENANTS) tenants.clear();
    tenants.set(tenant, (cache = new Map()));
  }
  return cache;
}

/** Terms of a field with their names in maps. */
interface NamedTerms extends TermsOfField {
  readonly names: readonly string[];
}

/** The distinct terms of clauses by field. */
function clauseTerms(clauses: readonly Clause[], part: 'scoring' | 'all'): readonly NamedTerms[] {
  const fields = new Map<number, Map<string, Uint8Array>>();
  const add = (field: number, term: Uint8Array): void => {
    let terms = fields.get(field);
    if (terms === undefined) fields.set(field, (terms = new Map()));
    terms.set(termMapKey(term), term);
  };
  const visit = (clause: Clause): void => {
    const module = moduleOf(clause);
    if (isCompoundModule(module)) {
      (part === 'scoring' ? scoringParts : allParts)(clause).forEach(visit);
    } else if (module.scoresWords && 'field' in clause) {
      for (const term of exactTerms(clause)) add(clause.field.id, term);
    }
  };
  clauses.forEach(visit);
  return [...fields].map(([field, terms]) => {
    return { field, terms: [...terms.values()], names: [...terms.keys()] };
  });
}

function missingTerms(cache: Totals, fields: readonly NamedTerms[]): readonly TermsOfField[] {
  return fields.flatMap(({ field, terms, names }): TermsOfField[] => {
    const known = cache.get(field)?.frequencies;
    const unknown = terms.filter((_, i) => known?.has(names[i]) !== true);
    return unknown.length === 0 ? [] : [{ field, terms: unknown }];
  });
}

/**
 * Sums the answers of the shards and saves the sums: searches beside this one may save the same.
 */
function saveTotals(
  totals: Totals,
  fields: readonly TermsOfField[],
  answers: readonly (readonly FieldFigures[] | undefined)[],
): void {
  fields.forEach(({ field, terms }, at) => {
    const figures = answers.flatMap((answer) => (answer === undefined ? [] : [answer[at]]));
    const sum = (of: (one: FieldFigures) => number) =>
      figures.reduce((all, one) => all + of(one), 0);
    let own = totals.get(field);
    if (own === undefined)
      totals.set(field, (own = { docs: 0, tokens: 0, frequencies: new Map() }));
    own.docs = sum(({ docs }) => docs);
    own.tokens = sum(({ tokens }) => tokens);
    terms.forEach((term, i) => {
      own.frequencies.set(
        termMapKey(term),
        sum(({ frequencies }) => frequencies[i]),
      );
    });
  });
}

function figuresOf(totals: Totals, { field, terms, names }: NamedTerms): FieldFigures {
  const { docs, tokens, frequencies } = totals.get(field) as FieldTotals;
  return {
    field,
    terms,
    docs,
    tokens,
    frequencies: names.map((name) => frequencies.get(name) ?? 0),
  };
}

function copyOf(cache: Totals): Totals {
  const copies = [...cache].map(([field, own]) => {
    return [field, { ...own, frequencies: new Map(own.frequencies) }] as const;
  });
  return new Map(copies);
}

function termCount(totals: Totals): number {
  let count = 0;
  for (const { frequencies } of totals.values()) count += frequencies.size;
  return count;
}
