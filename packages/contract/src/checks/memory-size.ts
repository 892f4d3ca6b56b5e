import { LhsError } from '../errors.ts';

const UNITS: Readonly<Record<string, number>> = { mib: 2 ** 20, gib: 2 ** 30 };

/** Bytes of `512MiB` or `2GiB`. Throws invalid_argument. */
export function memoryBytes(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})\s*([MG]iB)$/i.exec(text) ?? [];
  if (digits !== undefined) return Number(digits) * UNITS[unit.toLowerCase()];
  throw new LhsError('invalid_argument', `"${text}" is not an amount of memory`, {
    hint: 'write 512MiB or 2GiB',
  });
}
