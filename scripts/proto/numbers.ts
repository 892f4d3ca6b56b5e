/** The numbers of the fields of a message that was published before. */
export interface Numbers {
  readonly fields: ReadonlyMap<string, number>;
  readonly reserved: readonly number[];
}

const MESSAGE = /^message (\w+) \{\n([\s\S]*?)^\}/gm;
const FIELD = /^ {2}(?:optional |repeated )?(?:map<[^>]*>|[\w.]+) (\w+) = (\d+)/gm;
const RESERVED = /^ {2}reserved ([\d, ]+);/gm;

/** The numbers of all messages in the texts of proto files. */
export function readNumbers(texts: readonly string[]): Map<string, Numbers> {
  const found = new Map<string, Numbers>();
  for (const [, name, body] of texts.flatMap((text) => [...text.matchAll(MESSAGE)])) {
    const fields = [...body.matchAll(FIELD)].map(
      ([, field, number]) => [field, Number(number)] as const,
    );
    const reserved = [...body.matchAll(RESERVED)].flatMap(([, list]) =>
      list.split(',').map(Number),
    );
    found.set(name, { fields: new Map(fields), reserved });
  }
  return found;
}

/** Numbers for these fields: those that they had, then free ones. Numbers are never reused. */
export function assignNumbers(names: readonly string[], before: Numbers | undefined): Numbers {
  const fields = new Map<string, number>();
  const gone = [...(before?.fields ?? [])].filter(([name]) => !names.includes(name));
  const reserved = [...(before?.reserved ?? []), ...gone.map(([, number]) => number)];
  const used = [...reserved, ...(before?.fields.values() ?? [])].filter((n) => n < PRESENT_NUMBER);
  let next = Math.max(0, ...used) + 1;
  for (const name of names) fields.set(name, before?.fields.get(name) ?? next++);
  const kept = reserved.filter((number) => number !== PRESENT_NUMBER);
  return { fields, reserved: kept.toSorted((a, b) => a - b) };
}

/** The number of the field `present_fields`. */
export const PRESENT_NUMBER = 1000;
