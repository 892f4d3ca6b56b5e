import type { Plugin } from 'rolldown';

/** A change of a module as it is bundled. `file` is the end of its path. */
interface Edit {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

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
const LAZY: readonly Edit[] = [
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

/** The module of `packages/cli/bundle/vendor` that `vendor` of `bundle.ts` makes of a package. */
const VENDORED = "'../vendor/lib/$1.cjs'";

/** Modules and files that the sources find in `node_modules`, and chunks in the bundle. */
const PATHS: readonly Edit[] = [
  {
    file: '/engine/src/schema/parse/bounded-yaml.ts',
    from: /(?<=createRequire\(import\.meta\.url\)\()'(yaml)'/,
    to: VENDORED,
  },
  {
    file: '/cli/src/config/settings-text.ts',
    from: /(?<=createRequire\(import\.meta\.url\)\()'(yaml)'/,
    to: VENDORED,
  },
  {
    file: '/lake/src/scan/duckdb/library.ts',
    from: /(?<=load\()'@duckdb\/(node-api)'/,
    to: VENDORED,
  },
  {
    file: '/client/src/rest/pool-exchange.ts',
    from: /const Pool = createRequire\(import\.meta\.url\)\(('.*?')\) as typeof UndiciPool/,
    to: 'import Pool from $1',
  },
  {
    file: '/engine/src/analysis/language/languages.ts',
    from: /`@orama\/(stopwords)\/(\$\{.*?\})`/,
    to: '`../vendor/lib/$1-$2.cjs`',
  },
  {
    file: '/engine/src/embed/open-embedder.ts',
    from: /(?<=file = )`\$\{DEFAULT_PACKAGE\}(.*)`/,
    to: "'../vendor/model-static-384$1'",
  },
  {
    file: '/server/src/console/console-assets.ts',
    from: /'@lakehouse-search(\/console\/assets\.json)'/,
    to: "'../vendor$1'",
  },
  {
    file: '/lake/src/objects/load-sdk.ts',
    from: /\bimport\(name\)/,
    to: "(name === '@aws-sdk/client-s3' ? import('@aws-sdk/client-s3') : import(name))",
  },
  importByName('/lake/src/catalog/sql-database.ts'),
  importByName('/server/src/store/postgres-database.ts'),
  {
    file: '/better-sqlite3/lib/binding.js',
    from: /\b__dirname, '\.\.'/g,
    to: "import.meta.dirname, '../vendor'",
  },
  {
    file: '/grpc-health-check/build/src/health.js',
    from: /(?<=includeDirs: \[`\$\{)__dirname\}\/..\/../,
    to: 'import.meta.dirname}/../vendor',
  },
  {
    file: '/grpc-health-check/build/src/health.js',
    from: /path\.resolve\(__dirname, '..\/../,
    to: "path.resolve(import.meta.dirname, '../vendor",
  },
  ...['v1', 'v1alpha'].map((version) => ({
    file: `/reflection/build/src/implementations/reflection-${version}.js`,
    from: /path\.join\(__dirname, '..\/../,
    to: "path.join(import.meta.dirname, '../vendor",
  })),
];

/** An optional package that a module imports through a variable is part of the bundle. */
function importByName(file: string): Edit {
  return {
    file,
    from: /const name = ('[^']+');([\s\S]*?)import\(name\)/,
    to: 'const name = $1;$2import($1)',
  };
}

/** Edits the modules as they are bundled. Throws if the source of one of them has changed. */
export function edits(): Plugin {
  const missing = new Set([...LAZY, ...PATHS]);
  return {
    name: 'edits',
    transform(code, id) {
      const here = [...LAZY, ...PATHS].filter(({ file }) => id.endsWith(file));
      if (here.length === 0) return null;
      let edited = code;
      for (const edit of here) {
        const before = edited;
        edited = edited.replace(edit.from, edit.to);
        if (edited !== before) missing.delete(edit);
      }
      return { code: edited, map: null };
    },
    buildEnd() {
      const texts = [...missing].map(({ file, from }) => `${file}: ${from}`);
      if (texts.length > 0) throw new Error(`not found in modules: ${texts.join(', ')}`);
    },
  };
}
