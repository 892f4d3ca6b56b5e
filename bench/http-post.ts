import type { Dispatcher, Pool } from 'undici';

const REQUEST = {
  path: '/v1/search',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
} as const;

/**
 * The text of a search's response. Throws for another status than 200. Only undici's dispatcher is
 * used: the objects of its `request` live long enough to make the garbage collection of a load
 * generator pause for 20 ms and more.
 */
export function postSearch(pool: Pool, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let status = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code;
      },
      onResponseData: (_, part) => void parts.push(part),
      onResponseEnd() {
        const text = (parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString();
        if (status === 200) resolve(text);
        else reject(new Error(text));
      },
      onResponseError: (_, error) => reject(error),
    };
    pool.dispatch({ ...REQUEST, body }, handler);
  });
}
