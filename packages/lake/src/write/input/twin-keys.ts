import { LakeError } from '../../base/errors.ts';
import { rowsIn } from '../convert/json-rows.ts';
import { KeyTree, type TwinKeys } from '../convert/key-tree.ts';
import type { StagedInput } from './input.ts';

type TwinInput = Pick<StagedInput, 'files' | 'isKeyed' | 'reading'>;

/**
 * The error of keys that differ only in case, with their rows and their path: of the key that
 * `error` of a session names, or of columns if there is no error. Other errors are returned.
 */
export async function twinFault(
  error: unknown,
  input: TwinInput,
  signal?: AbortSignal,
): Promise<unknown> {
  const key = error instanceof LakeError ? error.details.key : undefined;
  if (error !== null && typeof key !== 'string') return error;
  const isMeant = ({ path, keys: [, second] }: TwinKeys) =>
    typeof key === 'string' ? second.toLowerCase() === key.toLowerCase() : path.length === 0;
  const found = new Map<string, TwinKeys>();
  const tree = new KeyTree((twins) => {
    const at = pointer([...twins.path, twins.keys[1]]);
    if (isMeant(twins) && !found.has(at)) found.set(at, twins);
  });
  for (const file of input.files) for await (const row of rowsIn(file, signal)) tree.note(row);
  return found.size === 0 ? error : located([...found.values()], input);
}

/** Pairs of keys that a message names. */
const MAX_NAMED = 4;

function located(twins: readonly TwinKeys[], { files, isKeyed, reading }: TwinInput): LakeError {
  const [{ path, keys, rows }, ...others] = twins;
  const [first, second] = keys;
  const where = rows[0] === rows[1] ? `row ${rows[1]}` : `rows ${rows.join(' and ')}`;
  const what = files.length === 1 ? `${files[0].shown}: ${where}` : `the input files: ${where}`;
  const object = path.length === 0 ? '' : ` of "${pointer(path)}"`;
  const pairs = others.slice(0, MAX_NAMED).map((other) => other.keys.join(' and '));
  const rest = others.length > pairs.length ? `, … ${others.length - pairs.length} more pairs` : '';
  const more = pairs.length === 0 ? '' : ` (also ${pairs.join(', ')}${rest})`;
  const message =
    `cannot read ${what}: the keys "${first}" and "${second}"${object} ` +
    `differ only in case${more}`;
  const pointers = keys.map((key) => pointer([...path, key]));
  const rowsAt = reading.rows?.others?.[0]?.join('.');
  const at = path.join('.');
  const details = {
    ...{ option: 'twins', keys, rows, pointers, pairs: twins.length },
    ...{ path: at, isKeyed, rowsAt },
  };
  return new LakeError('invalid_argument', message, { file: files[0].path, details });
}

const pointer = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
