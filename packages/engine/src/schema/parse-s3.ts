import type { S3Config } from '@lakehouse-search/lake';
import { readFlag, readMap, readText } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** `{endpoint, region, path_style}`: how tables on `s3://` are reached. It holds no secrets. */
export function parseS3(tree: Tree, what: string, report: Report): S3Config | undefined {
  const map = readMap(tree, what, ['endpoint', 'region', 'path_style'], report);
  if (map === undefined) return undefined;
  const endpoint = map.endpoint && readText(map.endpoint, `${what}.endpoint`, report);
  const region = map.region && readText(map.region, `${what}.region`, report);
  const style = map.path_style && readFlag(map.path_style, `${what}.path_style`, false, report);
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(style === undefined ? {} : { path_style: style }),
  };
}
