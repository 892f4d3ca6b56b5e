/** `filter_path`: the parts of a response that a client wants, such as `hits.hits._id,-took`. */
import type { Json } from '@lakehouse-search/contract';

type Path = readonly string[];

/** The parts of `json` that the paths select. `*` is any name, `**` any number of levels. */
export function filterPath(json: Json, paths: string): Json {
  const all = paths.split(',').filter((path) => path !== '');
  const pathsOf = (texts: readonly string[]) => texts.map((text) => text.split('.'));
  const wanted = pathsOf(all.filter((path) => !path.startsWith('-')));
  const unwanted = pathsOf(all.filter((path) => path.startsWith('-')).map((p) => p.slice(1)));
  const included = wanted.length === 0 ? json : (keep(json, wanted) ?? {});
  return unwanted.length === 0 ? included : drop(included, unwanted);
}

/** Paths below a member; `[]` among them: the member itself is selected. */
function below(paths: readonly Path[], name: string): readonly Path[] {
  return paths.flatMap((path): readonly Path[] => {
    const [first, ...rest] = path;
    if (first === undefined) return [path];
    if (first !== '**') return matches(first, name) ? [rest] : [];
    const skipped = below([rest], name);
    return rest.length === 0 ? [[]] : [path, ...skipped];
  });
}

function keep(json: Json, paths: readonly Path[]): Json | undefined {
  if (paths.some((path) => path.length === 0)) return json;
  if (Array.isArray(json)) {
    const kept = json.map((item) => keep(item, paths)).filter((item) => item !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  const kept = Object.entries(json).flatMap(([name, value]) => {
    const found = keep(value, below(paths, name));
    return found === undefined ? [] : [[name, found] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function drop(json: Json, paths: readonly Path[]): Json {
  if (Array.isArray(json)) return json.map((item) => drop(item, paths));
  if (typeof json !== 'object' || json === null) return json;
  const left = Object.entries(json).flatMap(([name, value]) => {
    const inner = below(paths, name);
    if (inner.some((path) => path.length === 0)) return [];
    return [[name, inner.length === 0 ? value : drop(value, inner)] as const];
  });
  return Object.fromEntries(left);
}

/** Whether a name matches a pattern with `*`. */
export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === name;
  if (!name.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts[parts.length - 1];
  return name.length - at >= last.length && name.endsWith(last);
}
