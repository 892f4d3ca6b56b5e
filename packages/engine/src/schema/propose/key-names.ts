/** How likely the name of a column says that it identifies rows: lower numbers first. */
export type KeyRank = 'identifier' | 'code' | 'part' | 'none';

const IDENTIFIER =
  /^(id|ids|key|pk|uuid|guid|ulid|oid|(?!aid|bid|kid|lid|mid|rid)[a-z]id|(row|object|record|user)id)$/;
const CODE =
  /^(code|sha1?|hash|digest|slug|isbn|issn|doi|sku|ean|iata|icao|iso[23]?|cca[23]|symbol|ticker|vin)$/;
const PART =
  /^(date|day|hour|month|year|week|quarter|no|nr|num|number|line|seq|sequence|stint|version|round|index|idx|position|pos|rank|locale|lang|language)$/;

/** Whether a column holds parts of the names of persons, which repeat sooner or later. */
export const isPersonName = (name: string): boolean =>
  /^(first|last|middle|given|family)[_ ]?name$/i.test(name);

/** The words of a column's name in lower case: `playerID` has two. */
export const nameWords = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** The rank of a column's name, by its first and last word: `playerID`, `id_order`, `iata_code`. */
export function keyRank(name: string): KeyRank {
  const words = nameWords(name);
  const [first = '', last = ''] = [words[0], words.at(-1)];
  if (IDENTIFIER.test(last) || first === 'id') return 'identifier';
  if (CODE.test(last)) return 'code';
  return PART.test(last) ? 'part' : 'none';
}
