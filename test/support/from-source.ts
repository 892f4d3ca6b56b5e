/**
 * For child processes (`node --import …/from-source.ts`): our packages are their sources, not what
 * was built of them, so that a test runs what it lies beside. Worker threads inherit it.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { SOURCES } from '../../scripts/sources.ts';

registerHooks({
  resolve(specifier, context, next) {
    const source = SOURCES[specifier];
    return next(source === undefined ? specifier : pathToFileURL(source).href, context);
  },
});
