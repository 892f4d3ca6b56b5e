/**
 * Prints the software bill of materials of the command in CycloneDX: what `npm sbom` says about
 * this clone, without the packages that neither the bundle nor its dependencies contain. Run after
 * `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Bom {
  readonly components: readonly { readonly 'bom-ref': string; readonly name: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = JSON.parse(readFileSync(`${root}/packages/cli/package.json`, 'utf8'));
const printed = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1e8,
});
const bom = JSON.parse(printed) as Bom;
const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));

/** The packages whose licenses are in the bundle and in the console, as `name@version`. */
function bundled(): readonly string[] {
  return ['', 'vendor/console/'].flatMap((folder) => {
    const file = `${root}/packages/cli/bundle/${folder}LICENSES.txt`;
    const titles = readFileSync(file, 'utf8').matchAll(/^# (\S+) (\d+\.\d+\.\d+\S*) \(/gm);
    return [...titles].map(([, name, version]) => `${name}@${version}`);
  });
}

/** The dependencies of the command, with theirs. */
function installed(): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (ref: string): void => {
    if (found.has(ref)) return;
    found.add(ref);
    needs.get(ref)?.forEach(add);
  };
  const all = { ...cli.dependencies, ...cli.optionalDependencies };
  for (const [name, version] of Object.entries(all)) add(`${name}@${version}`);
  return found;
}

const refs = new Set([...bundled(), ...installed()]);
const components = bom.components.filter((one) => refs.has(one['bom-ref']));
const self = `${cli.name}@${cli.version}`;
const dependencies = [
  { ref: self, dependsOn: components.map((one) => one['bom-ref']) },
  ...components.map(({ 'bom-ref': ref }) => ({
    ref,
    dependsOn: (needs.get(ref) ?? []).filter((needed) => refs.has(needed)),
  })),
];
const metadata = {
  component: {
    'bom-ref': self,
    type: 'application',
    name: cli.name,
    version: cli.version,
    purl: `pkg:npm/${cli.name.replace('@', '%40')}@${cli.version}`,
    licenses: [{ license: { id: cli.license } }],
  },
};
console.log(JSON.stringify({ ...bom, metadata, components, dependencies }, null, 2));
