import { type Json, jsonValue, utf8Text } from '@lakehouse-search/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Reads bodies of content types with a function that may throw. */
export function addBodies(
  rest: FastifyInstance,
  types: string | string[],
  read: (request: FastifyRequest, bytes: Buffer) => unknown,
): void {
  rest.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, read(request, body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The text of a body. Throws invalid_argument unless it is UTF-8. */
export const bodyText = (bytes: Buffer): string => utf8Text(bytes, 'the body');

/** The value of a body. Throws invalid_argument as `jsonValue`. */
export const bodyValue = (text: string): Json => jsonValue(text, 'the body') as Json;
