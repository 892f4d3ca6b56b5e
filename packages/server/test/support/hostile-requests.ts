import { OPERATION_NAMES, OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import { seededBelow } from '../../../../test/support/random.ts';

/** A request of a hostile caller. `$pit` and `$saved` are replaced by ids of the server. */
export interface HostileRequest {
  readonly operation: Operation;
  readonly request: object;
}

/** Reads that work on rows: they are requested more often than all others together. */
const READS: readonly Operation[] = [
  ...(['search', 'search', 'search', 'semantic', 'hybrid', 'aggregate', 'facets'] as const),
  ...([
    'suggest',
    'explain',
    'clauseCounts',
    'getKeys',
    'describeIndex',
    'exportDocuments',
  ] as const),
  ...(['openPit', 'createSavedQuery', 'parseQuery', 'analyze'] as const),
];
const ALL = OPERATION_NAMES.filter((name) => name !== 'login');
const WORDS = ['disk', 'full', 'quiet', 'network', 'replaced', 'kanare', 'kanarekzwolff'];
/** Parts of words of the other tenant, and neighbours of them. */
const NEAR = ['kan*', 'papag*', 'wellen*', 'kanarekzwol?', 'papageineum~2', 'state:kan*', 'b*'];
const FIELDS = ['title', 'org', 'state', 'size', 'at', 'v', 'id', 'nope', '_key', '_score'];
const FILTERS = [
  ...['org:rival', 'NOT org:acme', '*:*', 'state:open', 'org:(acme OR rival)', 'org:/.*/'],
  ...['size:[0 TO *]', 'at:[2000 TO 2005]', 'org:rival OR org:acme', '-org:acme', 'id:b1'],
];

/** Requests from a seed, the same ones every time. */
export class HostileRequests {
  readonly #below: (below: number) => number;

  constructor(seed: number) {
    this.#below = seededBelow(seed);
  }

  /** The next request. */
  next(): HostileRequest {
    const operation = this.#of(this.#chance(5) ? ALL : READS);
    if (operation === 'exportDocuments' || !READS.includes(operation)) {
      return { operation, request: this.#other(operation) };
    }
    return {
      operation,
      request: { index: this.#chance(20) ? 'none' : 'rows', ...this.#read(operation) },
    };
  }

  #of<T>(values: readonly T[]): T {
    return values[this.#below(values.length)];
  }

  #chance(of: number): boolean {
    return this.#below(of) === 0;
  }

  #some<T extends object>(of: number, make: () => T): T | object {
    return this.#chance(of) ? make() : {};
  }

  /** The example of an operation over the index, with hostile fields. */
  #other(operation: Operation): object {
    const example = OPERATIONS[operation].example as Readonly<Record<string, unknown>>;
    const own = Object.keys(example).includes('index') ? { ...example, index: 'rows' } : example;
    if (operation === 'exportDocuments')
      return { ...own, ...this.#some(2, () => ({ query: this.#query() })) };
    return { ...own, ...this.#some(6, () => ({ tenant: 'rival' })) };
  }

  #read(operation: Operation): object {
    switch (operation) {
      case 'semantic':
        return { ...this.#near(), ...this.#narrowed(), ...this.#shown() };
      case 'hybrid':
        return {
          ...this.#near(),
          query_text: this.#query(),
          ...this.#narrowed(),
          ...this.#shown(),
        };
      case 'aggregate':
        return { ...this.#match(), aggs: this.#aggs(2) };
      case 'facets':
        return { ...this.#match(), fields: this.#fields(), ...this.#some(3, () => ({ size: 50 })) };
      case 'suggest':
        return this.#suggest();
      case 'explain':
        return { ...this.#match(), coordinates: this.#key(), ...this.#some(5, () => this.#near()) };
      case 'getKeys':
        return this.#keys();
      case 'createSavedQuery':
        return this.#saved();
      case 'analyze':
        return { text: this.#query(), field: this.#of(FIELDS) };
      case 'parseQuery':
        return { query: this.#query() };
      case 'openPit':
        return { keep_alive: this.#of(['30m', '1h']) };
      case 'describeIndex':
        return this.#some(5, () => ({ tenant: 'rival' }));
      default:
        return { ...this.#match(), ...this.#shown() };
    }
  }

  #query(): string {
    const parts = Array.from({ length: 1 + this.#below(3) }, () => this.#clause());
    return parts.join(this.#of([' ', ' AND ', ' OR ', ' AND NOT ', ' -']));
  }

  #clause(): string {
    const word = this.#of([...WORDS, ...NEAR, ...FILTERS]);
    switch (this.#below(9)) {
      case 0:
        return `${this.#of(FIELDS)}:${this.#of(WORDS)}`;
      case 1:
        return `${this.#of(WORDS)}~${this.#below(3)}`;
      case 2:
        return `"${this.#of(WORDS)} ${this.#of(WORDS)}"~${this.#below(3)}`;
      case 3:
        return `state:/${this.#of(['k.*', '[a-z]+-[12]', '.*1', 'open'])}/`;
      case 4:
        return `(${word} OR ${this.#of(WORDS)})^${1 + this.#below(3)}`;
      default:
        return word;
    }
  }

  #match(): object {
    return {
      ...(this.#chance(8) ? { ast: this.#tree(2) } : { query: this.#query() }),
      ...this.#some(3, () => ({ filter: this.#chance(3) ? this.#tree(1) : this.#of(FILTERS) })),
      ...this.#some(8, () => ({ pit_id: '$pit' })),
    };
  }

  #narrowed(): object {
    return this.#some(2, () => ({ filter: this.#of(FILTERS) }));
  }

  #tree(depth: number): object {
    const leaves = [
      { term: { field: 'org', value: 'rival' } },
      { match_all: {} },
      { prefix: { field: 'title', value: 'kan' } },
      { wildcard: { field: 'state', value: '*-1' } },
      { fuzzy: { field: 'title', value: 'kanarekzwolf', edits: 1 } },
      { exists: { field: this.#of(FIELDS) } },
      { knn: { field: 'v', query_vector: [1, this.#below(9)], k: 1 + this.#below(20) } },
      { range: { field: 'size', gte: this.#below(1000) } },
    ];
    if (depth === 0 || this.#chance(3)) return this.#of(leaves);
    const list = () => [this.#tree(depth - 1), this.#tree(depth - 1)];
    const kind = this.#of(['must', 'should', 'must_not', 'filter']);
    return { bool: { [kind]: list() } };
  }

  #near(): object {
    return {
      vector_field: this.#chance(9) ? 'nope' : 'v',
      query_vector: [this.#below(5) - 2, this.#below(5) + 1],
      k: 1 + this.#below(90),
      ...this.#some(4, () => ({ exact: true })),
      ...this.#some(6, () => ({ min_score: 0.5 })),
    };
  }

  /** What a page shows. */
  #shown(): object {
    const sort = () => ({ field: this.#of(FIELDS), desc: this.#chance(2) });
    return {
      ...this.#some(3, () => ({ limit: this.#below(80) })),
      ...this.#some(5, () => ({ offset: this.#below(40) })),
      ...this.#some(3, () => ({ sort: [sort(), ...(this.#chance(2) ? [sort()] : [])] })),
      ...this.#some(5, () => ({ collapse: this.#of(['state', 'org', 'size', 'title']) })),
      ...this.#some(4, () => ({ highlight: {} })),
      ...this.#some(5, () => ({ hydrate: true })),
      ...this.#some(6, () => ({ hydrate_columns: [this.#of(FIELDS)], hydrate: true })),
      ...this.#some(4, () => ({ facets: { fields: this.#fields() } })),
      ...this.#some(5, () => ({ aggs: this.#aggs(1) })),
      ...this.#some(9, () => ({ search_after: this.#after() })),
      ...this.#some(20, () => ({ principal: { tenant: 'rival' } })),
    };
  }

  #after(): unknown[] {
    return this.#of([[0.5, 'b1'], [1, 'a7'], ['rival', 'b3'], [null]]);
  }

  #fields(): string[] {
    return Array.from({ length: 1 + this.#below(3) }, () => this.#of(FIELDS));
  }

  #aggs(depth: number): object {
    const field = this.#of(['state', 'org', 'size', 'at', 'title']);
    const kinds = [
      { terms: { field, size: 1 + this.#below(9) } },
      { stats: { field } },
      { cardinality: { field } },
      { percentiles: { field } },
      { missing: { field } },
      { date_histogram: { field: 'at', calendar_interval: 'month' } },
      { range: { field: 'size', ranges: [{ to: 30 }, { from: 30 }] } },
      { filter: { query: this.#of(FILTERS) } },
    ];
    const agg = this.#of(kinds);
    const nested = depth > 0 && this.#chance(2) ? { aggs: this.#aggs(depth - 1) } : {};
    return { x: { ...agg, ...nested } };
  }

  #suggest(): object {
    return {
      field: this.#of(['title', 'state', 'org', 'size']),
      text: this.#of(['', 'k', 'kan', 'kanarekzwol', 'd', 'dsik', 'o', 'papageinenu', 'riv']),
      ...this.#some(2, () => ({ fuzzy: true })),
      ...this.#some(3, () => ({ max_edits: this.#below(3) })),
      ...this.#some(3, () => ({ limit: this.#below(50) })),
    };
  }

  #key(): object {
    const value = `${this.#of(['a', 'b'])}${this.#below(120)}`;
    return { identifier: [{ name: this.#chance(20) ? 'org' : 'id', value }] };
  }

  #keys(): object {
    const keys = Array.from({ length: 1 + this.#below(6) }, () => this.#key());
    return { keys, ...this.#some(4, () => ({ columns: [this.#of(FIELDS)] })) };
  }

  #saved(): object {
    const name = `q${this.#below(40)}`;
    // A list of saved queries shows their words: those must not be words of the other tenant.
    const query = this.#query().replaceAll('kanarekzwolf', 'kanarekzwo');
    return { index: undefined, name, request: { index: 'rows', query } };
  }
}
