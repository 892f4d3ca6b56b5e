/**
 * The YAML parser under bounds that are taken before it runs, and in steps: it is recursive, and
 * takes up to 10 µs for a sign of the syntax.
 */
import { createRequire } from 'node:module';
import type { CST, Document, DocumentOptions, ParseOptions, ScalarTag, SchemaOptions } from 'yaml';
import { LIMITS } from '../../base/limits.ts';

type Yaml = typeof import('yaml');
type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;
let library: Yaml | undefined;

/** The parser, loaded at the first definition: a search whose definition is known needs none. */
export function yaml(): Yaml {
  library ??= createRequire(import.meta.url)('yaml') as Yaml;
  return library;
}

/** The fault of a text that is nested too deeply. */
export const TOO_DEEP = `a definition nests at most ${LIMITS.definitionDepth} levels`;
const TOO_MANY_ENTRIES = `a definition has at most ${LIMITS.definitionEntries} entries`;

/** Why a text is not parsed, and where. */
export interface Unparsed {
  readonly at: number;
  readonly fault: string;
}

/** Signs of the syntax that one step reads. */
const STEP_SIGNS = 500;

/** The document of a text; its keys may repeat, as the parser takes quadratic time to see it. */
export function* readingYaml(
  text: string,
  options: YamlOptions,
): Generator<void, Document | Unparsed, undefined> {
  const deep = tooDeepAt(text);
  if (deep >= 0) return { at: deep, fault: TOO_DEEP };
  if (hasTooManyEntries(text)) return { at: 0, fault: TOO_MANY_ENTRIES };
  try {
    const tokens = yield* readingTokens(text, options.lineCounter);
    const document = composed(tokens, text, options);
    yield;
    return document;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { at: 0, fault: TOO_DEEP };
  }
}

/** The tokens of a text: most of the work of the parser. */
function* readingTokens(
  text: string,
  lines: YamlOptions['lineCounter'],
): Generator<void, readonly CST.Token[], undefined> {
  const { Lexer, Parser } = yaml();
  const parser = new Parser(lines?.addNewLine);
  lines?.addNewLine(0);
  const tokens: CST.Token[] = [];
  let signs = 0;
  for (const sign of new Lexer().lex(text)) {
    tokens.push(...parser.next(sign));
    if (++signs % STEP_SIGNS === 0) yield;
  }
  tokens.push(...parser.end());
  yield;
  return tokens;
}

/** Texts that begin as no number, null or boolean: one pattern is tested instead of eight. */
const PLAIN_TEXT: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  test: /^[^-+.0-9~nNtTfF]/,
  resolve: (text) => text,
};

/** The first document of tokens; a second one is its last error, as in the parser's own function. */
function composed(tokens: readonly CST.Token[], text: string, options: YamlOptions): Document {
  const { Composer, YAMLParseError } = yaml();
  const { stackTraceLimit } = Error;
  // The composer makes an error for each sign out of place; a stack takes longer than the sign.
  Error.stackTraceLimit = 0;
  try {
    const rules = { schema: 'core', merge: false, uniqueKeys: false } as const;
    const customTags: YamlOptions['customTags'] = (tags) => [PLAIN_TEXT, ...tags];
    const composer = new Composer({ ...rules, customTags, ...options });
    const [first, second] = composer.compose(tokens, true, text.length);
    if (second !== undefined) {
      const [from, to] = second.range;
      first.errors.push(
        new YAMLParseError([from, to], 'MULTIPLE_DOCS', 'a definition is one document'),
      );
    }
    return first;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Where the text nests absurdly deep, or -1. Brackets are counted outside comments (quotes are not
 * looked at, hence the margin), and so are "- " and "? " at the start of a line.
 */
function tooDeepAt(text: string): number {
  const most = LIMITS.definitionDepth * 4;
  let depth = 0;
  let indicators = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x0a) indicators = 0;
    else if (c === 0x2d || c === 0x3f) indicators += text.charCodeAt(i + 1) === 0x20 ? 1 : 0;
    else if (c === 0x5b || c === 0x7b) depth++;
    else if (c === 0x5d || c === 0x7d) depth--;
    else if (c === 0x23 && (i === 0 || /\s/.test(text[i - 1]))) i = endOfLine(text, i) - 1;
    if (depth > most || depth < -most || indicators > most) return i;
  }
  return -1;
}

/**
 * True if a text has too many signs of one kind: ends of lines, colons, commas, openings of lists
 * and maps, anchors, aliases and tags, quotes (of JSON: four times as many).
 */
function hasTooManyEntries(text: string): boolean {
  const count = (sign: RegExp) => text.match(sign)?.length ?? 0;
  const counts = [
    count(/:(?=\s|$)|:(?=[{["'])/g),
    ...[count(/,/g), count(/\n/g), count(/[[{]/g), count(/[&*!]/g), count(/["']/g) / 4],
  ];
  return counts.some((each) => each > LIMITS.definitionEntries);
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
