import type { BackendApi } from '@lakehouse-search/contract/internal';

/**
 * A backend with some operations of its own. All others go to `backend` and are bound to it.
 */
export function withOwn(backend: BackendApi, own: Partial<BackendApi>): BackendApi {
  return new Proxy(backend, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof BackendApi];
      const value: unknown = target[key as keyof BackendApi];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
