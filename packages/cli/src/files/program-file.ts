import { existsSync } from 'node:fs';

/** A file of the repository that comes with the program: in the bundle, or in the clone. */
export function programFile(path: string): URL | undefined {
  const folders = ['./', '../', '../../', '../../../../'];
  const urls = folders.map((folder) => new URL(`${folder}${path}`, import.meta.url));
  return urls.find((url) => existsSync(url));
}
