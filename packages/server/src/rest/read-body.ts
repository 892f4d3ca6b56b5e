import { type Json, LhsError } from '@lakehouse-search/contract';
import { jsonValue, readingJson, utf8Text } from '@lakehouse-search/contract/internal';
import { inTurns } from '@lakehouse-search/engine/internal';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Names of objects in a body; 10,000 keys of three columns have 70,000. */
const MOST_NAMES = 80_000;
/** Values in a body: openings of lists and objects, and commas. */
const MOST_VALUES = 250_000;
/** Bodies that are read at once. */
const SHORT_CHARS = 64 * 1024;

/** Changes a JSON text before it is parsed. */
type Prepare = (text: string) => string;

/** Reads bodies of content types with a function that may throw. */
export function addBodies(
  rest: FastifyInstance,
  types: string | string[],
  read: (request: FastifyRequest, bytes: Buffer) => unknown,
): void {
  rest.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const value = read(request, body as Buffer);
      if (!(value instanceof Promise)) done(null, value);
      else value.then((value) => done(null, value), done);
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The text of a body. Throws invalid_argument unless it is UTF-8. */
export const bodyText = (bytes: Buffer): string => utf8Text(bytes, 'the body');

/**
 * The value of a body, which `what` names in errors. A long one is read in several turns of the
 * event loop. Throws invalid_argument as `jsonValue`, and limit_exceeded for more names or values
 * than a request has.
 */
export function bodyValue(
  text: string,
  what = 'the body',
  prepare: Prepare = (same) => same,
): Json | Promise<Json> {
  if (text.length <= SHORT_CHARS) return jsonValue(prepare(text), what) as Json;
  return inTurns(readingBody(text, what, prepare));
}

/** The value of the body of a change batch, which may have more values. */
export const batchValue = (text: string): Promise<unknown> =>
  inTurns(readingJson(text, 'the body'));

function* readingBody(
  text: string,
  what: string,
  prepare: Prepare,
): Generator<void, Json, undefined> {
  yield* refuseMany(text, what);
  const prepared = prepare(text);
  yield;
  const value = (yield* readingJson(prepared, what)) as Json;
  yield;
  return value;
}

const [COLON, COMMA, LIST, OBJECT] = [0x3a, 0x2c, 0x5b, 0x7b];

/** Characters that are looked at in one step. */
const STEP_CHARS = 2 ** 20;

/** Counts signs before anything is parsed; those inside of texts count as well. */
function* refuseMany(text: string, what: string): Generator<void, void, undefined> {
  let names = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === COLON) names++;
    else if (sign === COMMA || sign === LIST || sign === OBJECT) values++;
    if (names > MOST_NAMES || values > MOST_VALUES) {
      const message = `${what} has more than ${MOST_NAMES} names or ${MOST_VALUES} values`;
      throw new LhsError('limit_exceeded', message);
    }
    if (i % STEP_CHARS === 0) yield;
  }
}
