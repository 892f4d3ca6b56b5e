import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import { meantField } from './hints/field-case.ts';

/** A response that has notes. */
interface Noted {
  readonly notes?: readonly string[];
}

/** What one of the indexes of a call answers. */
export interface Answered<Response> {
  readonly index: IndexDescription;
  readonly response: Response;
  /** Fields of clauses that it lacks. */
  readonly optional?: readonly string[];
  /** It cannot answer the call: the response finds nothing, and its note says why. */
  readonly isLeftOut?: true;
}

/** A query that finds no row. */
export const NO_ROWS = '-*:*';

/** Errors about the fields of a request. */
const ABOUT_FIELDS = ['invalid_query', 'invalid_argument'];

/**
 * The responses of indexes. Clauses of fields that one of several lacks match nothing there:
 * `optional` names them. One that lacks another field of the call is left out with a note: `none`
 * reads it without rows. Throws the first error if no index answers.
 */
export async function answerEach<Response extends Noted>(
  indexes: readonly IndexDescription[],
  read: (index: IndexDescription, optional: readonly string[]) => Promise<Response>,
  none: (index: IndexDescription) => Promise<Response>,
): Promise<readonly Answered<Response>[]> {
  const settled = await Promise.allSettled(indexes.map((index) => readEach(index, indexes, read)));
  const isAnswered = settled.some(({ status }) => status === 'fulfilled');
  return Promise.all(
    settled.map(async (one, i): Promise<Answered<Response>> => {
      if (one.status === 'fulfilled') return one.value;
      const error: unknown = one.reason;
      const isOfFields = error instanceof LhsError && ABOUT_FIELDS.includes(error.code);
      if (!isAnswered || !isOfFields) throw error;
      const notes = [`left out: ${error.message}`];
      const index = indexes[i];
      return { index, response: { ...(await none(index)), notes }, isLeftOut: true };
    }),
  );
}

/** Reads again for each field of a clause that this index lacks and another one has. */
async function readEach<Response>(
  index: IndexDescription,
  indexes: readonly IndexDescription[],
  read: (index: IndexDescription, optional: readonly string[]) => Promise<Response>,
): Promise<Answered<Response>> {
  for (let optional: readonly string[] = []; ; ) {
    try {
      return { index, response: await read(index, optional), optional };
    } catch (error) {
      const name = missingName(error, indexes);
      if (name === undefined || optional.includes(name)) throw error;
      optional = [...optional, name];
    }
  }
}

/** The field of a clause that an index lacks and another one has. */
function missingName(error: unknown, indexes: readonly IndexDescription[]): string | undefined {
  if (!(error instanceof LhsError) || error.place === undefined) return undefined;
  const { text, from, to } = error.place;
  const name = text.slice(from, to);
  return meantField(name, indexes) === name ? name : undefined;
}
