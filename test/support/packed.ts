/** The packages as npm packs them, in empty projects. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
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

/** The names of the packages that npm installs with one where optional ones are left out. */
export const requiredBy = ({ dependencies = {} }: Manifest) => Object.keys(dependencies);

/** The folder names of a package and of those of ours that it depends on, directly or not. */
export function withOurs(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const needed of dependenciesOf(manifestOf(name))) {
    if (needed.startsWith(SCOPE)) withOurs(needed.slice(SCOPE.length), found);
  }
  return found;
}

/** Packs packages into a new folder: all of them, or those of these names. */
export function packInto(folder: string, names: Iterable<string> = FOLDERS): void {
  mkdirSync(folder);
  const which = [...names].map((name) => `--workspace=packages/${name}`);
  run('npm', ['pack', ...which, '--pack-destination', folder], ROOT);
}

/** The tarball of a package in the folder of `packInto`. */
export const tarball = (folder: string, name: string): string =>
  join(folder, `lakehouse-search-${name}-0.1.0.tgz`);

/** Extracts the tarballs and links the dependencies that they declare (`needs`), and no others. */
export function link(
  folder: string,
  names: readonly string[],
  app: string,
  needs: (manifest: Manifest) => readonly string[] = dependenciesOf,
): void {
  const modules = join(app, 'node_modules');
  mkdirSync(join(modules, SCOPE), { recursive: true });
  for (const name of names) {
    run('tar', ['-xzf', tarball(folder, name)], modules);
    renameSync(join(modules, 'package'), join(modules, SCOPE, name));
    const inner = join(ROOT, 'packages', name, 'node_modules');
    if (existsSync(inner)) symlinkSync(inner, join(modules, SCOPE, name, 'node_modules'));
    for (const needed of needs(manifestOf(name))) {
      if (needed.startsWith(SCOPE) || existsSync(join(modules, needed))) continue;
      mkdirSync(dirname(join(modules, needed)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', needed), join(modules, needed));
    }
  }
}

/** Bytes of all packages that packages of ours need, the latter as they are in an app. */
export function installedBytes(
  app: string,
  names: readonly string[],
  needs: (manifest: Manifest) => readonly string[],
): number {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = folderOf(name, from);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const needed of needs(manifest)) add(needed, folder);
  };
  for (const name of names) add(SCOPE + name, app);
  return [...found].reduce((sum, folder) => sum + bytesBelow(folder), 0);
}

/** The folder of a package as Node finds it from another one. */
function folderOf(name: string, from: string): string | undefined {
  const here = join(from, 'node_modules', name);
  if (existsSync(here)) return realpathSync(here);
  return dirname(from) === from ? undefined : folderOf(name, dirname(from));
}

/** Bytes of the files of a package, without those of packages inside. */
function bytesBelow(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true });
  const sizes = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return statSync(path).size;
    return entry.isDirectory() && entry.name !== 'node_modules' ? bytesBelow(path) : 0;
  });
  return sizes.reduce((a, b) => a + b, 0);
}
