/**
 * Which former generations of an index stay, by `keep_previous` of its definition: one of them for
 * a time, or so many of them. Called inside the transaction that changes the live generation or the
 * definition; the folders of the others go with the next sweep.
 */
import { existsSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import type { KeptGeneration, KeptLimit } from '../registry/generations.ts';
import type { Registry } from '../registry/registry.ts';
import { type Definition, KEEP_PREVIOUS, type KeepPrevious } from '../schema/definition.ts';
import { generationAt } from './index-folder.ts';
import { readDefinition } from './stored-definition.ts';

/** Puts the rule of the definition in force into force. Does nothing for an index that is gone. */
export function limitKept(registry: Registry, uuid: string): void {
  const { keepPrevious = KEEP_PREVIOUS } = definitionOf(registry, uuid) ?? {};
  registry.generations.limitKept(uuid, limitOf(keepPrevious));
}

/**
 * The same after a rollback. The definition that comes back may keep nothing: then the rule of the
 * one that it replaces goes on, so that a rollback can always be rolled back.
 */
export function limitAfterRollback(
  registry: Registry,
  uuid: string,
  former: KeepPrevious = KEEP_PREVIOUS,
): void {
  const { keepPrevious: own = KEEP_PREVIOUS } = definitionOf(registry, uuid) ?? {};
  registry.generations.limitKept(uuid, limitOf(keepsNothing(own) ? former : own));
}

/**
 * The kept generations of an index whose folders are there: a row may outlive its folder. Throws
 * io_error.
 */
export function keptGenerations(
  registry: Registry,
  uuid: string,
  folder: string,
  now: number,
): readonly KeptGeneration[] {
  const isThere = ({ number }: KeptGeneration) => existsSync(generationAt(folder, number).path);
  return registry.generations.kept(uuid, now).filter(isThere);
}

/** What `keep_previous` of the definition in force says; undefined: the default. */
export function keepPreviousOf(registry: Registry, uuid: string): KeepPrevious | undefined {
  return definitionOf(registry, uuid)?.keepPrevious;
}

/** A definition that cannot be read is no reason to lose a generation: the default holds. */
function definitionOf(registry: Registry, uuid: string): Definition | undefined {
  const row = registry.settled(uuid);
  try {
    return row === undefined ? undefined : readDefinition(row);
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

const keepsNothing = (keep: KeepPrevious): boolean =>
  'generations' in keep && keep.generations === 0;

const limitOf = (keep: KeepPrevious): KeptLimit =>
  'generations' in keep ? keep : { generations: 1, millis: keep.millis };
