import type { Mapping } from '../../schema/mapping.ts';

/**
 * The last request that was bound to each mapping: the coordinator and the shards of one thread
 * bind the same object one after another.
 */
export class BindingMemo<Request extends object, Bound> {
  readonly #last = new WeakMap<Mapping, { readonly request: Request; readonly bound: Bound }>();

  /** What the request was bound to; undefined: another one was bound last. */
  get(mapping: Mapping, request: Request): Bound | undefined {
    const last = this.#last.get(mapping);
    return last?.request === request ? last.bound : undefined;
  }

  set(mapping: Mapping, request: Request, bound: Bound): void {
    this.#last.set(mapping, { request, bound });
  }
}
