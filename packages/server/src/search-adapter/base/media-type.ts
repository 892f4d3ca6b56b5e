/** Content types of the imitated engine's clients: plain JSON, and types that name a version. */

const VENDORED = /^application\/vnd\.(elasticsearch|opensearch)\+(json|x-ndjson)$/;
const VERSIONS: ReadonlySet<string> = new Set(['7', '8', '9']);

/** A type of one of the two vendors, with the version that it asks for. */
interface VendoredType {
  readonly vendor: string;
  readonly version: string | undefined;
}

/** The type of a response: that of `Accept` if it names a version, else JSON. */
export function responseType(accept: string | undefined): string {
  for (const part of (accept ?? '').split(',')) {
    const found = vendored(part);
    if (found === undefined) continue;
    const { vendor, version } = found;
    const suffix = version === undefined ? '' : `;compatible-with=${version}`;
    return `application/vnd.${vendor}+json${suffix}`;
  }
  return 'application/json; charset=UTF-8';
}

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/x-ndjson']);

/** Whether a body of this type is JSON, or lines of JSON. */
export function isJsonType(header: string): boolean {
  const [type] = header.split(';');
  return JSON_TYPES.has(type.trim().toLowerCase()) || vendored(header) !== undefined;
}

/** Whether `Accept` names a version that does not exist. */
export function asksUnknownVersion(header: string | undefined): boolean {
  return (header ?? '').split(',').some((part) => {
    const version = vendored(part)?.version;
    return version !== undefined && !VERSIONS.has(version);
  });
}

function vendored(part: string): VendoredType | undefined {
  const [type, ...parameters] = part.split(';').map((piece) => piece.trim());
  const vendor = VENDORED.exec(type.toLowerCase())?.[1];
  if (vendor === undefined) return undefined;
  const named = parameters.find((parameter) => parameter.startsWith('compatible-with='));
  return { vendor, version: named?.slice('compatible-with='.length) };
}
