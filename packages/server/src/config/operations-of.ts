import { OPERATION_NAMES, type Operation } from '@lakehouse-search/contract/internal';

/** The operations that an object has, as functions that need no `this`. */
export function operationsOf<T extends Partial<Record<Operation, unknown>>>(part: T) {
  const methods = OPERATION_NAMES.flatMap((name) => {
    const method = part[name];
    return typeof method === 'function' ? [[name, method.bind(part)] as const] : [];
  });
  return Object.fromEntries(methods) as Pick<T, Operation & keyof T>;
}
