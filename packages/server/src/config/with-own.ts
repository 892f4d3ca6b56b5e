import type { Backend } from '@lakehouse-search/contract';

/**
 * A backend with some operations of its own. All others go to `backend` and are bound to it.
 */
export function withOwn(backend: Backend, own: Partial<Backend>): Backend {
  return new Proxy(backend, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof Backend];
      const value: unknown = target[key as keyof Backend];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
