/**
 * YAML text to a plain tree with places, under limits.
 *
 * 1. Size: more than `LIMITS.definitionBytes` is refused unread.
 * 2. Syntax: YAML 1.2 core schema, one document; aliases, anchors' uses, tags and merge keys are
 *    refused, so no text can grow into more than its own size.
 * 3. Shape: keys are strings, each once; nesting is at most `LIMITS.definitionDepth`.
 */

import type { DefinitionIssue } from '@lakehouse-search/contract';
import { allSteps, yamlFault } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import { readingYaml, TOO_DEEP, yaml } from './bounded-yaml.ts';

/** A node; `at` is its UTF-16 offset in the text. */
export type Tree =
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly TreeEntry[] }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly Tree[] }
  | {
      readonly kind: 'scalar';
      readonly at: number;
      readonly value: string | number | boolean | null;
      /** As written, without quotes. */
      readonly source: string;
    };
/** A key of a map with its value. */
export interface TreeEntry {
  readonly key: string;
  readonly at: number;
  readonly value: Tree;
}

/** Collects what is wrong, with the line and column of a UTF-16 offset. */
export interface Report {
  readonly issues: readonly DefinitionIssue[];
  error(at: number, message: string): void;
  warning(at: number, message: string): void;
  failed(): boolean;
  /** True: further issues are not kept. */
  isFull(): boolean;
}

const MAX_ISSUES = 100;

/** A report on `text`; issues come out in the order of the text, at most 100 of them. */
export function createReport(text: string): Report {
  const lines = new (yaml().LineCounter)();
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) lines.addNewLine(i + 1);
  lines.lineStarts.unshift(0);
  const found: { at: number; issue: DefinitionIssue }[] = [];
  const add = (severity: 'error' | 'warning', at: number, message: string) => {
    const { line, col } = lines.linePos(at);
    const known = found.some((f) => f.issue.message === message && f.at === at);
    if (!known && found.length < MAX_ISSUES) {
      found.push({ at, issue: { severity, line, column: col, message } });
    }
  };
  return {
    get issues() {
      return found.toSorted((a, b) => a.at - b.at).map((f) => f.issue);
    },
    error: (at, message) => add('error', at, message),
    warning: (at, message) => add('warning', at, message),
    failed: () => found.some((f) => f.issue.severity === 'error'),
    isFull: () => found.length >= MAX_ISSUES,
  };
}

/** What a file of YAML is for, in messages. */
export interface YamlNoun {
  /** `definition` */
  readonly noun: string;
  /** What to do if the file is empty. */
  readonly empty: string;
}
const DEFINITION: YamlNoun = {
  noun: 'definition',
  empty: 'it names a table, a key and the fields to index',
};

/** The tree of a YAML text, or null with the reason in `report`. */
export const readYaml = (text: string, report: Report, what = DEFINITION): Tree | null =>
  allSteps(readingTree(text, report, what));

/** The same in steps: other work may have its turn between them. */
export function* readingTree(
  text: string,
  report: Report,
  what = DEFINITION,
): Generator<void, Tree | null, undefined> {
  if (Buffer.byteLength(text) > LIMITS.definitionBytes) {
    report.error(0, `a ${what.noun} is at most ${LIMITS.definitionBytes} bytes of YAML`);
    return null;
  }
  const document = yield* readingYaml(text, { version: '1.2', strict: true, logLevel: 'error' });
  if ('fault' in document) {
    report.error(document.at, document.fault);
    return null;
  }
  yield;
  for (const error of causes(document.errors, text)) {
    report.error(error.pos[0], syntaxFault(error, what.noun));
  }
  if (report.failed()) return null;
  if (document.contents === null) {
    report.error(0, `the ${what.noun} is empty; ${what.empty}`);
    return null;
  }
  const tree = toTree(document.contents, 0, 0, report);
  yield;
  return report.failed() ? null : tree;
}

interface SyntaxError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** The errors that no earlier one explains: one per line, and none after a token out of place. */
function causes(errors: readonly SyntaxError[], text: string): readonly SyntaxError[] {
  const lost = errors.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN');
  const lineOf = ({ pos }: SyntaxError) => text.lastIndexOf('\n', pos[0] - 1);
  return errors
    .slice(0, lost < 0 ? errors.length : lost + 1)
    .filter((error, i, all) => i === 0 || lineOf(error) !== lineOf(all[i - 1]));
}

const syntaxFault = (error: SyntaxError, noun: string): string =>
  error.code === 'MULTIPLE_DOCS' ? `a file holds one ${noun}` : yamlFault(error);

interface Ranged {
  readonly range?: readonly [number, number, number] | null;
  readonly tag?: string;
  readonly anchor?: string;
}

function toTree(node: unknown, parentAt: number, depth: number, report: Report): Tree {
  const ranged = (node ?? {}) as Ranged;
  const at = ranged.range?.[0] ?? parentAt;
  const nothing: Tree = { kind: 'scalar', at, value: null, source: '' };
  const fault = nodeFault(node, ranged, depth);
  if (fault !== null) {
    report.error(at, fault);
    return nothing;
  }
  const { isMap, isScalar, isSeq } = yaml();
  if (isMap(node)) return { kind: 'map', at, entries: mapEntries(node.items, at, depth, report) };
  if (isSeq(node)) {
    return { kind: 'list', at, items: node.items.map((x) => toTree(x, at, depth + 1, report)) };
  }
  if (!isScalar(node)) return nothing;
  const value = node.value as string | number | boolean | null;
  return { kind: 'scalar', at, value, source: node.source ?? String(value ?? '') };
}

function nodeFault(node: unknown, { tag, anchor }: Ranged, depth: number): string | null {
  if (depth > LIMITS.definitionDepth) return TOO_DEEP;
  if (yaml().isAlias(node)) return `aliases are not allowed in a definition ("*${node.source}")`;
  if (anchor !== undefined) return `anchors are not allowed in a definition ("&${anchor}")`;
  return tag === undefined ? null : `tags are not allowed in a definition ("${tag}")`;
}

function mapEntries(
  items: readonly { key: unknown; value: unknown }[],
  parentAt: number,
  depth: number,
  report: Report,
): TreeEntry[] {
  const seen = new Set<string>();
  const entries: TreeEntry[] = [];
  for (const item of items) {
    const at = (item.key as Ranged | null)?.range?.[0] ?? parentAt;
    const key = yaml().isScalar(item.key) ? item.key.value : undefined;
    if (typeof key !== 'string') report.error(at, 'a key must be a plain string');
    else if (seen.has(key)) report.error(at, `"${key}" is given twice`);
    else {
      seen.add(key);
      entries.push({ key, at, value: toTree(item.value, at, depth + 1, report) });
    }
  }
  return entries;
}
