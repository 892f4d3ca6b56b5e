import { join } from 'node:path';

/** What one process of a race saw. */
export interface RaceReport {
  /** How often each operation went well. */
  readonly operations: Record<string, number>;
  /** How often each error code that a race may bring was thrown. */
  readonly refused: Record<string, number>;
  /** Wrong answers, and errors that no race explains. */
  readonly violations: string[];
  /** Answers that were compared with the table. */
  compared: number;
  /** Points in time that were read again, and those of them whose index had moved on. */
  readBack: number;
  readBackLater: number;
}

/** The indexes that all processes use. */
export const NAMES = ['x', 'y'] as const;

/** The table of all indexes. */
export function sourceOf(folder: string) {
  const catalog = { type: 'filesystem' as const, warehouse: join(folder, 'lake') };
  return { catalog, table: 'a.t' };
}

/** An index over the table. */
export function definitionOf(index: string, folder: string): string {
  const { catalog, table } = sourceOf(folder);
  return `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(catalog)}, table: ${table} }
fields:
  - { name: id, type: LONG, fast: true, cached: true }
  - { name: title, type: TEXT }
`;
}
