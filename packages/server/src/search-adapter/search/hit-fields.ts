/** `fields` and `docvalue_fields` of a request: values of chosen fields, as lists. */
import { isIPv6 } from 'node:net';
import type { FieldDescription, Hit, Json, JsonObject } from '@lakehouse-search/contract';
import { type DateFormat, dateFormat, microsOfIso } from '../base/date-format.ts';
import { matches } from '../base/filter-path.ts';
import { onlyKnown, patternsIn, textIn } from '../base/read-json.ts';
import type { ServedIndex } from '../base/served-index.ts';
import { isObject } from '../query/body.ts';
import { clipped, illegal, malformed } from '../query/refusal.ts';

/** A field that hits show. */
interface ShownField {
  readonly field: FieldDescription;
  readonly format: DateFormat;
}

/** The fields that hits show, by name. */
export type FieldsPlan = ReadonlyMap<string, ShownField>;

const NONE: FieldsPlan = new Map();

/** Reads `fields`: names, patterns, or objects with a format. */
export function readFields(json: Json | undefined, index: ServedIndex, what: string): FieldsPlan {
  if (json === undefined) return NONE;
  const isColumn = what === 'docvalue_fields';
  const plan = new Map<string, ShownField>();
  for (const one of patternsIn(json, what)) {
    const { pattern, format } = entryOf(one, what);
    const found = index.description.fields.filter(({ name }) => matches(pattern, name));
    if (isColumn && found.some(({ fast }) => !fast) && !pattern.includes('*')) {
      throw illegal(`[${what}] needs a fast field, and [${clipped(pattern)}] is none`);
    }
    for (const field of found) {
      if (isColumn && !field.fast) continue;
      plan.set(field.name, { field, format });
    }
  }
  return plan;
}

function entryOf(json: Json, what: string) {
  if (typeof json === 'string') return { pattern: json, format: dateFormat() };
  if (!isObject(json)) throw malformed(`[${what}] must hold names or objects`);
  const { field, format } = onlyKnown(json, what, ['field', 'format', 'include_unmapped']);
  const isPlain = format === undefined || format === 'use_field_mapping';
  const text = isPlain ? undefined : textIn(format, 'format');
  return { pattern: textIn(field, `${what}.field`), format: dateFormat(text) };
}

/** The `fields` of a hit: its cached values, or those of its row. */
export function fieldsOf(hit: Hit, plan: FieldsPlan): JsonObject | undefined {
  const shown = [...plan].flatMap(([name, { field, format }]) => {
    const values = valuesOf(hit, field).map((value) => formatted(value, field, format));
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

function valuesOf({ fields = {}, row }: Hit, field: FieldDescription): readonly Json[] {
  const { name, source, path, cached } = field;
  const found =
    cached && Object.hasOwn(fields, name)
      ? [fields[name]]
      : source.map((column) => at(row?.[column], path));
  return found
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value) => value !== undefined && value !== null) as readonly Json[];
}

const at = (json: Json | undefined, path: string | undefined): Json | undefined =>
  (path === undefined ? [] : path.split('.')).reduce<Json | undefined>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    json,
  );

function formatted(value: Json, { type }: FieldDescription, format: DateFormat): Json {
  if (type === 'IP' && typeof value === 'string') return plainAddress(value);
  if (type !== 'DATE' || typeof value !== 'string') return value;
  const micros = microsOfIso(value);
  return micros === undefined ? value : format(micros, 0);
}

/** An address in its shortest form, as columns of addresses have it. */
function plainAddress(text: string): string {
  return isIPv6(text) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}
