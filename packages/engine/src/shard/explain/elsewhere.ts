import type { FieldPlan } from '../../schema/field-plan.ts';
import type { ElsewhereFacts, ElsewhereNeeds, NearerDocs } from '../shard.ts';

/** What an explanation reads of all shards: facts of the request, and what it lacks of them. */
export class Elsewhere {
  readonly #facts: ElsewhereFacts;
  readonly #nearer = new Set<string>();
  readonly #terms = new Map<string, { readonly field: string; readonly word: string }>();

  constructor(facts: ElsewhereFacts) {
    this.#facts = facts;
  }

  /** What the answer needs and the request did not have; null: nothing. */
  get needs(): ElsewhereNeeds | null {
    if (this.#nearer.size + this.#terms.size === 0) return null;
    return { nearer: [...this.#nearer], terms: [...this.#terms.values()] };
  }

  /** The documents that are nearer to the vector of a `knn` clause; null: not known yet. */
  nearer(id: string): NearerDocs | null {
    const known = this.#facts.nearer.find((one) => one.id === id);
    if (known === undefined) this.#nearer.add(id);
    return known ?? null;
  }

  /** The term of a field that is nearest to a word; undefined: there is none, or not known yet. */
  nearestTerm({ name: field }: FieldPlan, word: string): string | undefined {
    const known = this.#facts.terms.find((one) => one.field === field && one.word === word);
    if (known === undefined) this.#terms.set(JSON.stringify([field, word]), { field, word });
    return known?.nearest ?? undefined;
  }
}
