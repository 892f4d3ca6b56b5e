import type { RegisteredParts } from '../../home/backup-index.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { wasDropped } from '../../registry/changed-meanwhile.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/** An index with its rows in the registry, for a copy of its newest commit. */
export function indexToBackUp(indexes: LocalIndexes, { registered, folder }: KnownIndex) {
  const { openDirectory, clock } = indexes;
  const { name, uuid } = registered;
  const parts = (version: number) => registeredParts(indexes, uuid, name, version);
  return { index: name, uuid, folder, openDirectory, clock, registered: parts };
}

function registeredParts(
  indexes: LocalIndexes,
  uuid: string,
  index: string,
  version: number,
): RegisteredParts {
  const { registry } = indexes;
  // an alteration that was killed before its end is ended here
  const row = registry.settled(uuid);
  if (row === undefined) throw wasDropped(index);
  indexes.known(row.name).definitionOf(version);
  const now = registry.settled(uuid) ?? row;
  const former = registry.formerDefinition(uuid, version);
  const { definition, baseDir } = former ?? now;
  const definitionVersion = former === undefined ? now.version : version;
  const all = registry.aliases.list().filter((alias) => alias.index === now.name);
  const aliases = all.map(({ alias }) => alias);
  const savedQueries = registry.queries.naming(new Set([now.name, ...aliases]));
  return { definition, definitionVersion, baseDir, aliases, savedQueries };
}
