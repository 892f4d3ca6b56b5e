/** Random definitions over the wide table, and random queries that hold under all of them. */

type Below = (below: number) => number;

const ANALYZERS = ['standard', 'english', 'simple', 'code'];
const CODE = 'analyzers:\n  - { name: code, tokenizer: standard, filters: [FILTERS] }\n';
const FILTERS = ['lowercase', 'lowercase, ascii_folding'];
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  TEXT: ['title', 'body', '[title, body]', 'org'],
  KEYWORD: ['org', 'title', 'size', 'ip'],
  LONG: ['size', 'id'],
  DOUBLE: ['price', 'size'],
  DATE: ['at'],
  BOOL: ['ok'],
  IP: ['ip'],
  VECTOR: ['title', '[org, title]'],
};
/** A definition has each of them or not. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  words: ['TEXT'],
  more: ['TEXT', 'KEYWORD'],
  label: ['KEYWORD'],
  count: ['LONG', 'DOUBLE', 'KEYWORD'],
  cost: ['DOUBLE'],
  day: ['DATE'],
  fine: ['BOOL'],
  host: ['IP', 'KEYWORD'],
  meaning: ['VECTOR'],
};

const oneOf = <T>(random: Below, all: readonly T[]): T => all[random(all.length)];

interface RandomField {
  readonly name: string;
  readonly text: string;
}

function fieldOf(random: Below, name: string): RandomField {
  const type = oneOf(random, NAMES[name]);
  const own = [`name: ${name}`, `type: ${type}`, `source: ${oneOf(random, SOURCES[type])}`];
  const flag = (key: string) => `${key}: ${random(2) === 0}`;
  if (type === 'VECTOR') {
    own.push('model: ./tiny', 'dims: 8', `similarity: ${oneOf(random, ['cosine', 'l2'])}`);
  } else own.push(flag('indexed'), flag('cached'));
  if (type === 'TEXT') own.push(`analyzer: ${oneOf(random, ANALYZERS)}`);
  else if (type !== 'VECTOR') own.push(flag('fast'));
  return { name, text: own.join(', ') };
}

/** The fields of a definition; some are those of `former`. */
export function randomFields(random: Below, former: readonly RandomField[] = []) {
  const fields = Object.keys(NAMES).flatMap((name) => {
    const same = former.find((field) => field.name === name);
    if (same !== undefined && random(2) === 0) return [same];
    return random(3) === 0 ? [] : [fieldOf(random, name)];
  });
  if (random(4) === 0) fields.reverse();
  return fields.length === 0 ? [fieldOf(random, 'words')] : fields;
}

/** The YAML of a definition of these fields. */
export function definitionText(
  random: Below,
  index: string,
  source: object,
  shards: number,
  fields: readonly RandomField[],
): string {
  const lines = fields.map(({ text }) => `  - { ${text} }\n`).join('');
  const head = `version: 1\nindex: ${index}\nsource: ${JSON.stringify(source)}\n`;
  const code = CODE.replace('FILTERS', oneOf(random, FILTERS));
  return `${head}sharding: { shards: ${shards} }\nfields:\n${lines}${code}`;
}

const VALUES = ['night', 'nights', 'train*', 'run*', 'disk', 'full', 'slow', 'büro', '"slow disk"'];

/** A search; it may be refused under a definition, then under an equal one as well. */
export function randomSearch(random: Below) {
  const clause = () => {
    const name = oneOf(random, Object.keys(NAMES));
    return oneOf(random, [
      () => `${name}:${oneOf(random, VALUES)}`,
      () => oneOf(random, VALUES),
      () => `label:${oneOf(random, ['a', 'b', '"c d"', 'ü'])}`,
      () => `count:[${random(10) - 10} TO ${random(40)}]`,
      () => `day:[2026-0${1 + random(9)}-01 TO *]`,
      () => `host:10.0.${random(3)}.${random(9)}`,
      () => `fine:${random(2) === 0}`,
      () => `cost:[${random(20)} TO *]`,
    ])();
  };
  const query = Array.from({ length: 1 + random(3) }, clause).join(oneOf(random, [' ', ' AND ']));
  const field = oneOf(random, ['_score', '_key', 'count', 'cost', 'day', 'label', 'host']);
  const sort = random(2) === 0 ? {} : { sort: [{ field, desc: random(2) === 0 }] };
  return { query, limit: 1 + random(20), ...sort };
}
