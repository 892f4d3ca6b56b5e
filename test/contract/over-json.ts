import type { CallContext } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { expect } from 'vitest';

/** A value after a way through JSON, which must not change it. */
function carried<T>(value: T): T {
  if (value === undefined) return value;
  const back = JSON.parse(JSON.stringify(value)) as T;
  expect(back, 'the response changes in JSON').toEqual(value);
  return back;
}

/** A request after a way through JSON, where it has a JSON form at all. */
function sent(request: unknown): unknown {
  try {
    return request === undefined ? undefined : JSON.parse(JSON.stringify(request));
  } catch {
    return request;
  }
}

type Method = (request: unknown, call?: CallContext) => unknown;

/**
 * A backend whose requests and responses go through JSON, as a remote one's do. Fails where a
 * response does not survive that.
 */
export function overJson(backend: BackendApi): BackendApi {
  return new Proxy(backend, {
    get(target, name) {
      const method = (Reflect.get(target, name) as Method).bind(target);
      return (request: unknown, call?: CallContext) => {
        const answer = method(sent(request), call);
        return isIterable(answer) ? items(answer) : Promise.resolve(answer).then(carried);
      };
    },
  });
}

const isIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;

async function* items(answer: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const item of answer) yield carried(item);
}
