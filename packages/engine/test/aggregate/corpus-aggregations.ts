import { ADDRESSES } from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { dateWire, doubleWire, longWire, type SqlColumn } from './aggregation-sql.ts';
import type { RandomFields } from './random-aggregations.ts';

/** A text as SQL has it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** An address of the corpus as 32 hexadecimal digits. */
export const hex = (address: bigint) => address.toString(16).padStart(32, '0');
const ADDRESS_TEXTS = new Map(ADDRESSES.map((text) => [hex(addressOf(text)), text]));

/** The columns of the oracle's corpus. */
export const COLUMNS: Readonly<Record<string, SqlColumn>> = {
  k1: { type: 'KEYWORD', wire: (text) => text },
  n1: { type: 'LONG', wire: longWire },
  n2: { type: 'LONG', wire: longWire },
  d1: { type: 'DOUBLE', wire: doubleWire },
  at: { type: 'DATE', wire: dateWire },
  b1: { type: 'BOOL', wire: (text) => text === '1' },
  ip: { type: 'IP', wire: (text) => ADDRESS_TEXTS.get(text) },
};

/** What random aggregations over the oracle's corpus are made of. */
export const FIELDS: RandomFields = {
  columns: COLUMNS,
  terms: ['k1', 'n1', 'n2', 'd1', 'at', 'b1', 'ip'],
  numbers: ['n1', 'n2', 'd1', 'at'],
  date: 'at',
  fixed: [
    ['1 hour', 3_600_000_000n],
    ['7d', 604_800_000_000n],
    ['3us', 3n],
    ['100000d', 8_640_000_000_000_000n],
  ],
  widths: [
    ['n1', 1],
    ['n1', 100],
    ['n2', 2 ** 52],
    ['d1', 2 ** 990],
  ],
  units: ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'],
  zones: ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'],
  bounds: {
    n1: ['-1', '0', '7', '256', '70000'],
    n2: ['-9223372036854775808', '0', '9007199254740993', '9223372036854775807'],
    d1: ['-Infinity', '0', '0.25', '1e300', 'Infinity'],
    at: ['-62135596800000000', '0', '1577836800000001'],
  },
  missing: {
    k1: { sql: `'Perl'`, wire: 'Perl' },
    n1: { sql: `'-77'::bigint`, wire: -77 },
    b1: { sql: '1::bigint', wire: true },
  },
  filters: ['Perl', 'git', '', 'absent'].map((word) => ({
    query: `k1:"${word}"`,
    sql: `list_contains(k1, ${quoted(word)})`,
  })),
};
