/** The packages as npm packs them, in empty projects. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a manifest says of a package. */
export interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** The root of this clone. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The scope of the packages. */
export const SCOPE = '@lakehouse-search/';
/** The folder names of the packages. */
export const FOLDERS = readdirSync(join(ROOT, 'packages'));

/** Runs a command in a folder and returns what it printed. Throws on another exit code than 0. */
export const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The manifest of a package of this clone. */
export const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));

/** The names of the packages that npm installs with one. */
export const dependenciesOf = ({ dependencies, optionalDependencies }: Manifest) =>
  Object.keys({ ...dependencies, ...optionalDependencies });

/** The folder names of a package and of those of ours that it depends on, directly or not. */
export function withOurs(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const needed of dependenciesOf(manifestOf(name))) {
    if (needed.startsWith(SCOPE)) withOurs(needed.slice(SCOPE.length), found);
  }
  return found;
}

/** Packs all packages into a folder. */
export function packInto(folder: string): void {
  mkdirSync(folder);
  run('npm', ['pack', '--workspaces', '--pack-destination', folder], ROOT);
}

/** The tarball of a package in the folder of `packInto`. */
export const tarball = (folder: string, name: string): string =>
  join(folder, `lakehouse-search-${name}-0.1.0.tgz`);

/** Extracts the tarballs and links the dependencies that they declare, and no others. */
export function link(folder: string, names: readonly string[], app: string): void {
  const modules = join(app, 'node_modules');
  mkdirSync(join(modules, SCOPE), { recursive: true });
  for (const name of names) {
    run('tar', ['-xzf', tarball(folder, name)], modules);
    renameSync(join(modules, 'package'), join(modules, SCOPE, name));
    const inner = join(ROOT, 'packages', name, 'node_modules');
    if (existsSync(inner)) symlinkSync(inner, join(modules, SCOPE, name, 'node_modules'));
    for (const needed of dependenciesOf(manifestOf(name))) {
      if (needed.startsWith(SCOPE) || existsSync(join(modules, needed))) continue;
      mkdirSync(dirname(join(modules, needed)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', needed), join(modules, needed));
    }
  }
}
