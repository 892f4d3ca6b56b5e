import { LakeError } from './errors.ts';

/**
 * The secrets of one catalog, and its errors without them: a server may send back what it was sent.
 */
export interface Secrets {
  /** Adds a token, a password, … An empty text is none. */
  add(secret: string): void;
  /**
   * A text in which each secret is `***`: plain, in a URL, in JSON and in base64, also one whose
   * end was cut off (`…`).
   */
  mask(text: string): string;
  /** An error with every text of it masked. A LakeError comes out as a new one. */
  masked(error: unknown): unknown;
  /** The result of `work`. Its errors come out masked. */
  guard<T>(work: () => Promise<T>): Promise<T>;
}

const MASK = '***';

/** Secrets that begin as `values`. */
export function createSecrets(...values: readonly string[]): Secrets {
  const forms = new Set<string>();
  const add = (secret: string): void => {
    if (secret === '') return;
    forms.add(secret).add(encodeURIComponent(secret)).add(JSON.stringify(secret).slice(1, -1));
    forms.add(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
  };
  for (const value of values) add(value);
  const mask = (text: string): string => {
    const longestFirst = [...forms].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((masked, form) => {
      return maskCut(maskForm(masked, form), form);
    }, text);
  };
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw maskError(error, mask);
    }
  };
  return Object.freeze({ add, mask, masked: (error: unknown) => maskError(error, mask), guard });
}

/** Shorter secrets are masked only where they are not a part of a word. */
const MIN_PART_CHARS = 8;
/** What follows or precedes a part of a word: `lhs` in `lhs-backups`. */
const WORD = '[\\p{L}\\p{N}_-]';

/** Masks a form. Masking a short secret within words would garble names and sentences. */
function maskForm(text: string, form: string): string {
  if (form.length >= MIN_PART_CHARS) return text.replaceAll(form, MASK);
  const escaped = form.replace(
    /[^\p{L}\p{N}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
  return text.replace(new RegExp(`(?<!${WORD})${escaped}(?!${WORD})`, 'gu'), MASK);
}

/** Characters of a secret that are shown at most if it was cut. */
const LEAST_CUT = 4;

/** Masks the beginning of a secret if the text was cut within it. */
function maskCut(text: string, secret: string): string {
  const parts = text.split('…');
  for (let i = 0; i < parts.length - 1; i++) {
    const part = parts[i]!;
    for (let length = secret.length - 1; length > LEAST_CUT; length--) {
      if (!part.endsWith(secret.slice(0, length))) continue;
      parts[i] = part.slice(0, -length) + MASK;
      break;
    }
  }
  return parts.join('…');
}

/** A URI fit for messages: neither user nor password, and no values of its query. */
export function shownUri(uri: string): string {
  return uri.replace(/:\/\/[^?#]*@/, `://${MASK}@`).replace(/[?#].*$/s, `?${MASK}`);
}

/** An error whose message, stack, details and causes are masked; others than ours are changed. */
function maskError(error: unknown, mask: (text: string) => string): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error.cause === undefined ? undefined : maskError(error.cause, mask);
  if (!(error instanceof LakeError)) {
    for (const key of ['message', 'stack', ...Object.keys(error)]) maskProperty(error, key, mask);
    return error;
  }
  const details = maskValue(error.details, mask) as Record<string, unknown>;
  const file = error.file === undefined ? {} : { file: mask(error.file) };
  const masked = new LakeError(error.reason, mask(error.message), { ...file, cause, details });
  masked.stack = mask(error.stack ?? '');
  return masked;
}

function maskProperty(error: Error, key: string, mask: (text: string) => string): void {
  const value: unknown = Reflect.get(error, key);
  if (typeof value !== 'string' || mask(value) === value) return;
  Object.defineProperty(error, key, { value: mask(value), writable: true, configurable: true });
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, maskValue(v, mask)]));
}
