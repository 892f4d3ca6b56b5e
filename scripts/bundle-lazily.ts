import type { Plugin } from 'rolldown';

/** A declaration that makes `name` when it is first used, through the methods that are used. */
const lazy = (name: string, value: string, methods: readonly string[]): string =>
  [
    `let made_${name};`,
    `const ${name} = {`,
    ...methods.map((method) => `${method}: (text) => (made_${name} ??= ${value}).${method}(text),`),
    '};',
  ].join('\n');

/**
 * What bundled packages do as they are loaded, and most commands do not need: a segmenter, the
 * expression of all emoji, and a collator to sort the ids of commands, which are ASCII. For each of
 * them V8 reads tables of Unicode: together 40 of the 260 ms of processor time of a short command.
 */
const EDITS: readonly { file: string; from: RegExp; to: string }[] = [
  {
    file: '/string-width/index.js',
    from: /^const segmenter = (new Intl\.Segmenter\(\));$/m,
    to: lazy('segmenter', '$1', ['segment']),
  },
  {
    file: '/string-width/index.js',
    from: /^const emojiPrefixRegex = (\/\^.*\/v);$/m,
    to: lazy('emojiPrefixRegex', '$1', ['exec', 'test']),
  },
  {
    file: '/@oclif/core/lib/config/plugin.js',
    from: /\ba\.id\.localeCompare\(b\.id\)/,
    to: '(a.id < b.id ? -1 : 1)',
  },
];

/** Edits the packages as they are bundled. Throws if the source of one of them has changed. */
export function lazily(): Plugin {
  const done = new Set<RegExp>();
  return {
    name: 'lazily',
    transform(code, id) {
      const here = EDITS.filter(({ file }) => id.endsWith(`/node_modules${file}`));
      if (here.length === 0) return null;
      let edited = code;
      for (const { from, to } of here) {
        if (from.test(edited)) done.add(from);
        edited = edited.replace(from, to);
      }
      return { code: edited, map: null };
    },
    buildEnd() {
      const missing = EDITS.filter(({ from }) => !done.has(from));
      const places = missing.map(({ file, from }) => `${file}: ${from}`);
      if (places.length > 0) throw new Error(`not found in packages: ${places.join(', ')}`);
    },
  };
}
