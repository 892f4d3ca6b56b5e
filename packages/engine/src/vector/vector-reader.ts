import type { Deadline } from '../base/time/deadline.ts';
import { countBits } from '../bitmap/bitmap.ts';
import type { VectorSearch } from '../schema/definition.ts';
import { mapCold } from '../storage/cold-file.ts';
import type { Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { type CodedQuery, codeQuery } from './coded-query.ts';
import type { ColdSearches } from './cold-candidates.ts';
import { similarityAt } from './exact.ts';
import type { Graph } from './graph/graph-format.ts';
import { GraphWalk } from './graph/nearest-graph.ts';
import { type Nearest, nearestFlat } from './nearest-flat.ts';
import { chooseSearch, type SearchChoice } from './search-cost.ts';
import { StoredVectors } from './stored-vectors.ts';

/** How to look for the nearest. */
export interface NearestOptions {
  /**
   * Bitmap of the documents that may be returned (deletes, filters, tenant filters), over the
   * segment's documents; null: all.
   */
  readonly accept: Int32Array | null;
  /** True: never by a graph. */
  readonly exact?: boolean;
  /** Candidates of a walk over the graph: more find more. Absent: by k. */
  readonly ef?: number;
  /** How the definition wants the field to be searched. Absent: by estimated cost. */
  readonly search?: VectorSearch;
  /** When it has to be done; absent: it may take any time. */
  readonly deadline?: Deadline;
  /** What attempts of the same search have found in cold files. */
  readonly cold?: ColdSearches;
}

/** The nearest documents of a segment, and how they were found. */
export interface FoundNearest extends Nearest {
  readonly choice: SearchChoice;
}

/** The vectors of a field, with their graph if the segment has one, for searches. */
export class VectorReader extends StoredVectors {
  readonly #openGraph: (() => Graph) | null;
  #walk: GraphWalk | null = null;

  readonly #path: string;

  /**
   * Opens a payload; `path` is for messages, `openGraph` gives the graph if the segment has one.
   * Throws corrupt_index.
   */
  constructor(payload: Region, path: string, openGraph: (() => Graph) | null = null) {
    super(payload, path);
    this.#path = path;
    this.#openGraph = openGraph;
  }

  /** Links between near vectors; null if the segment has none. Throws corrupt_index. */
  get graph(): Graph | null {
    const graph = this.#openGraph?.() ?? null;
    if (graph !== null && graph.count !== this.count) {
      throw corrupt(this.#path, `it has ${this.count} vectors, its graph ${graph.count}`);
    }
    return graph;
  }

  /**
   * The k nearest documents, the best first, equal ones by document, and ties of the k-th. Fewer
   * than k only if fewer are accepted and have a vector. With a graph some of the nearest may be
   * missing, and others take their positions, unless `exact`. Throws TypeError for a query of other
   * dimensions.
   */
  nearest(query: Float32Array, k: number, options: NearestOptions): FoundNearest {
    const { accept, exact = false, ef, search = 'auto', deadline, cold } = options;
    const coded = this.#code(query);
    const most = Math.max(1, k);
    const accepted = accept === null ? this.docs : countBits(accept);
    const graph = this.#openGraph !== null;
    const choice = chooseSearch(this, { k: most, graph, accepted, exact, ef, search });
    if (choice.method === 'graph' && accepted > 0) {
      const all = accepted === this.docs;
      const found = this.#walkGraph().nearest(coded, most, all ? null : accept, choice.width);
      if (found !== null) return { ...found, choice };
    }
    const flat = nearestFlat(this, coded, most, accept, { deadline, cold });
    if (choice.method === 'flat') return { ...flat, choice };
    return { ...flat, choice: { ...choice, method: 'flat', reason: 'too_few' } };
  }

  /**
   * The raw similarity of a query and a document's vector (exact.ts), or null where the document
   * has none: exactly the number that `nearest` returns.
   */
  similarity(query: Float32Array, doc: number): number | null {
    const slot = this.slotOf(doc);
    if (slot < 0) return null;
    this.needVector(slot);
    return similarityAt(this, this.#code(query), slot, new Int16Array(this.dims));
  }

  /** What walks over the graph; all of it and the heads are there. */
  #walkGraph(): GraphWalk {
    mapCold([() => void this.graph, () => this.needHeads(null)], (read) => read());
    this.#walk ??= new GraphWalk(this, this.graph!);
    return this.#walk;
  }

  #code(query: Float32Array): CodedQuery {
    if (query.length === this.dims) return codeQuery(query);
    throw new TypeError(`a query of ${query.length} dimensions, the field has ${this.dims}`);
  }
}
