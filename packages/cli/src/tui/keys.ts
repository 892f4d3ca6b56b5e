import type { Key } from 'ink';
import type { Action } from './state/events.ts';

const CONTROL: Readonly<Record<string, Action>> = {
  a: { type: 'edit', how: 'home' },
  b: { type: 'edit', how: 'left' },
  c: { type: 'interrupt' },
  d: { type: 'edit', how: 'delete' },
  e: { type: 'open', what: 'explain' },
  f: { type: 'open', what: 'facets' },
  g: { type: 'open', what: 'indexes' },
  h: { type: 'edit', how: 'backspace' },
  k: { type: 'edit', how: 'delete-behind' },
  l: { type: 'open', what: 'saved' },
  n: { type: 'move', by: 'line', sign: 1 },
  o: { type: 'open', what: 'sort' },
  p: { type: 'move', by: 'line', sign: -1 },
  r: { type: 'open', what: 'history' },
  s: { type: 'open', what: 'save' },
  t: { type: 'mark' },
  u: { type: 'edit', how: 'delete-before' },
  w: { type: 'edit', how: 'delete-word' },
  x: { type: 'mode' },
  y: { type: 'copy' },
};

const WITH_ALT: Readonly<Record<string, Action>> = {
  '?': { type: 'open', what: 'help' },
  m: { type: 'mode' },
};

/** What a key press means: the actions in order. One press may carry several typed at once. */
export function actionsOf(input: string, key: Key): readonly Action[] {
  if (key.eventType === 'release') return [];
  const named = namedDeed(key);
  if (named !== undefined) return [named];
  if (key.ctrl) return input in CONTROL ? [CONTROL[input]] : [];
  if (key.meta) return input in WITH_ALT ? [WITH_ALT[input]] : [];
  return input === '' ? [] : typedDeeds(input);
}

function namedDeed(key: Key): Action | undefined {
  if (key.escape) return { type: 'escape' };
  if (key.return) return { type: 'enter' };
  if (key.tab) return { type: 'complete', sign: key.shift ? -1 : 1 };
  if (key.upArrow || key.downArrow) {
    const sign = key.upArrow ? -1 : 1;
    return key.meta || key.shift
      ? { type: 'scroll', by: 3 * sign }
      : { type: 'move', by: 'line', sign };
  }
  if (key.pageUp || key.pageDown) return { type: 'move', by: 'page', sign: key.pageUp ? -1 : 1 };
  const words = key.ctrl || key.meta;
  if (key.leftArrow) return { type: 'edit', how: words ? 'word-left' : 'left' };
  if (key.rightArrow) return { type: 'edit', how: words ? 'word-right' : 'right' };
  if (key.home || key.end) return { type: 'edit', how: key.home ? 'home' : 'end' };
  if (key.backspace) return { type: 'edit', how: key.meta ? 'delete-word' : 'backspace' };
  return key.delete ? { type: 'edit', how: 'delete' } : undefined;
}

/** A slow line or a script may send several keys as one text: controls in it are still keys. */
function typedDeeds(input: string): Action[] {
  const actions: Action[] = [];
  for (const part of input.split(/(\p{Cc})/u)) {
    const code = part.charCodeAt(0);
    if (part === '') continue;
    if (part === '\r' || part === '\n') actions.push({ type: 'enter' });
    else if (part === '\t') actions.push({ type: 'complete', sign: 1 });
    else if (code >= 32) actions.push({ type: 'text', text: part });
    else actions.push(...controlDeed(code));
  }
  return actions;
}

function controlDeed(code: number): Action[] {
  const letter = String.fromCharCode(code + 96);
  return letter in CONTROL ? [CONTROL[letter]] : [];
}
