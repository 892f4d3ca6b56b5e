/**
 * For child processes (`node --import …/from-source.ts`): our packages are their sources, not what
 * was built of them, so that a test runs what it lies beside. Worker threads inherit it.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const name = /^@lakehouse-search\/(lake|engine)$/.exec(specifier)?.[1];
    if (name === undefined) return next(specifier, context);
    return next(new URL(`../../packages/${name}/src/index.ts`, import.meta.url).href, context);
  },
});
