/** Messages of JSON-RPC as clients send them, and errors as they read them. */
import { isPlain } from '@lakehouse-search/contract/internal';

type Members = Readonly<Record<string, unknown>>;

/**
 * A message, or a batch of them, without parameters and arguments that are null: many clients send
 * null for what they leave out.
 */
export const withoutNulls = (message: unknown): unknown =>
  Array.isArray(message) ? message.map(oneWithoutNulls) : oneWithoutNulls(message);

function oneWithoutNulls(message: unknown): unknown {
  if (!isPlain(message)) return message;
  const { params, ...rest } = message as Members;
  if (!isPlain(params)) return params === null || params === undefined ? rest : message;
  const { arguments: input, ...others } = params as Members;
  const given = isPlain(input) ? present(input as Members) : input;
  return { ...rest, params: present({ ...others, arguments: given }) };
}

const present = (members: Members): Members =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );

/** The fault of a value that is no message of JSON-RPC 2.0; null for one that is. */
export function messageFault(value: unknown): string | null {
  if (!isPlain(value)) return 'a message is a JSON object';
  const { jsonrpc, method, id, params, result, error } = value as Members;
  if (jsonrpc !== '2.0') return '"jsonrpc" should be "2.0"';
  if (!['string', 'number', 'undefined'].includes(typeof id)) {
    return '"id" should be a string or a number';
  }
  if (params !== undefined && !isPlain(params)) return '"params" should be an object';
  if (typeof method === 'string' || isPlain(result) || isPlain(error)) return null;
  return '"method" should be a string';
}

/** The id that a response to a value can name. */
export function idOf(value: unknown): string | number | null {
  const id = isPlain(value) ? (value as Members).id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** A message whose error, if it has one, is a sentence and no list of a validation library. */
export function withPlainError<T>(message: T): T {
  const { error } = message as { readonly error?: { readonly message: string } };
  if (error === undefined) return message;
  const fault = plainFault(error.message);
  if (fault === null) return message;
  return { ...message, error: { ...error, code: INVALID_PARAMS, message: fault } };
}

const INVALID_PARAMS = -32_602;
const LISTED = /^([^[]*)(\[\s*\{[\s\S]*\}\s*\])\s*$/;

/** The sentence of a text that ends with the issues of a validation; null for another text. */
export function plainFault(text: string): string | null {
  const [, head = '', list = ''] = LISTED.exec(text) ?? [];
  const issues = issuesOf(list);
  if (issues === null) return null;
  const faults = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const fault = message.replace('Invalid input: ', '').replace('record', 'object');
    return path.length === 0 ? fault : `"${path.join('.')}": ${fault}`;
  });
  return `${head}${faults.join('; ')}`;
}

const MAX_ISSUES = 3;

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function issuesOf(text: string): readonly Issue[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isIssue) ? list : null;
  } catch {
    return null;
  }
}

const isIssue = (value: unknown): value is Issue =>
  isPlain(value) &&
  Array.isArray((value as Members).path) &&
  typeof (value as Members).message === 'string';
