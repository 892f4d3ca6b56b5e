import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { VariantNode } from '../schema/type.ts';
import { encodeVariant, type VariantBytes } from './encode.ts';

/** The two binary columns of JSON text. Throws `invalid_argument` if the text is not JSON. */
export function variantFromJson(text: string): VariantBytes {
  return encodeVariant(nodeFromJson(text));
}

/**
 * The node of JSON text, no digit lost: an integer takes the smallest of int8, int16, int32, int64,
 * or a decimal up to 38 digits; a number with a fraction and without an exponent is a decimal up to
 * 38 digits; all others are doubles. The last of two equal keys counts. Throws `invalid_argument`.
 */
export function nodeFromJson(text: string): VariantNode {
  checkDepth(text);
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
      nodeOf(value, context?.source),
    ) as VariantNode;
  } catch (cause) {
    if (cause instanceof LakeError) throw cause;
    throw new LakeError('invalid_argument', `variant text is not JSON: ${String(cause)}`, {
      cause,
    });
  }
}

/**
 * JSON.parse revives from the leaves upward, so the children of an array or object are nodes
 * already.
 */
function nodeOf(value: unknown, source: string | undefined): VariantNode {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'number') return numberNode(source ?? String(value), value);
  if (Array.isArray(value)) return { kind: 'array', elements: value as VariantNode[] };
  return { kind: 'object', fields: new Map(Object.entries(value as Record<string, VariantNode>)) };
}

function numberNode(source: string, value: number): VariantNode {
  if (/^-?\d+$/.test(source)) return integerNode(source, value);
  const parts = /^(-?)(\d+)\.(\d+)$/.exec(source);
  if (parts === null) return { kind: 'double', value };
  const [, sign, whole, fraction] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  const negativeZero = sign === '-' && digits === '';
  if (digits.length > 38 || fraction.length > 38 || negativeZero) return { kind: 'double', value };
  const unscaled = BigInt(`${sign}${whole}${fraction}`);
  return { kind: 'decimal', unscaled, scale: fraction.length };
}

function integerNode(source: string, value: number): VariantNode {
  if (value >= -128 && value <= 127) return { kind: 'int8', value: value + 0 };
  if (value >= -32_768 && value <= 32_767) return { kind: 'int16', value };
  if (value >= -2_147_483_648 && value <= 2_147_483_647) return { kind: 'int32', value };
  if (source.length > 40) return { kind: 'double', value };
  const exact = BigInt(source);
  if (BigInt.asIntN(64, exact) === exact) return { kind: 'int64', value: exact };
  const digits = source.replace('-', '').length;
  return digits <= 38 ? { kind: 'decimal', unscaled: exact, scale: 0 } : { kind: 'double', value };
}

/** JSON.parse recurses, so depth is checked before it. */
function checkDepth(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (quoted) {
      if (char === 0x5c) i++;
      else if (char === 0x22) quoted = false;
    } else if (char === 0x22) quoted = true;
    else if (char === 0x5b || char === 0x7b) depth++;
    else if (char === 0x5d || char === 0x7d) depth--;
    if (depth > LIMITS.variantDepth) {
      throw new LakeError(
        'invalid_argument',
        `variant text nests deeper than ${LIMITS.variantDepth} levels; flatten it`,
      );
    }
  }
}
