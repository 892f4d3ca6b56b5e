import type { CallContext } from './call.ts';
import type { Operation, ServiceApi } from './service.ts';

/** The request of an operation. */
export type RequestOf<K extends Operation> = Exclude<Parameters<ServiceApi[K]>[0], undefined>;

/** The response of an operation. */
export type ResponseOf<K extends Operation> = Awaited<ReturnType<ServiceApi[K]>>;

/** An operation as a function: of a promise, or of the items of a stream. */
export type Method<K extends Operation> = (
  request: RequestOf<K>,
  call?: CallContext,
) => ReturnType<ServiceApi[K]>;

/** Functions of these operations. */
export type Methods<K extends Operation = Operation> = { readonly [N in K]: Method<N> };
