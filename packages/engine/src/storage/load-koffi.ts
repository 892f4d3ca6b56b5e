import { createRequire } from 'node:module';

/**
 * The binary of koffi for this platform. The package around it has an install script, of which npm
 * warns. Throws if there is none.
 */
export const loadKoffi = () =>
  createRequire(import.meta.url)(`@koromix/koffi-${process.platform}-${process.arch}`);
